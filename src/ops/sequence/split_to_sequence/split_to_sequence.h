// A tensor cut along an axis into a sequence.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SplitToSequence;

struct SplitToSequenceParams {
  std::int64_t axis = 0;
  bool squeeze = false;              // parts, of size 1, lose the axis
  std::optional<bool> is_even;       // `split` is the size of every part but the last; nothing if its rank is not known
  std::optional<opset::Dims> split;  // that size, or the sizes, if they are known
};
SplitToSequenceParams resolve_split_to_sequence(const opset::NodeView& node, std::int64_t rank);
// The parts' sizes along an axis of `whole` elements, of params whose `split` is known.
std::vector<std::int64_t> split_sizes(const opset::NodeView& node, const SplitToSequenceParams& params,
                                      std::int64_t whole);

}  // namespace norn::ops
