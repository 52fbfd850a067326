// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ReduceMean;
extern const opset::Operator ReduceSum;
extern const opset::Operator ReduceMax;
extern const opset::Operator ReduceMin;
extern const opset::Operator ReduceProd;
extern const opset::Operator ReduceL1;
extern const opset::Operator ReduceL2;
extern const opset::Operator ReduceLogSum;
extern const opset::Operator ReduceLogSumExp;
extern const opset::Operator ReduceSumSquare;

struct ReduceParams {
  bool keepdims = true;
  bool all = false;                               // every dimension is reduced: no axes are given
  std::optional<std::vector<std::int64_t>> axes;  // as given; nothing if they are not known
};
ReduceParams resolve_reduce(const opset::NodeView& node);
// Which dimensions of data of a rank are reduced; nothing if the axes are not known.
std::optional<std::vector<bool>> reduced_dims(const opset::NodeView& node, const ReduceParams& params,
                                              std::int64_t rank);

}  // namespace norn::ops
