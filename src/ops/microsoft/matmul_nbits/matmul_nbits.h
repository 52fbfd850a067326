// Products with a constant matrix of 2, 4 or 8 bits an element, which has a scale for each block of a column.
#pragma once
#include <cstdint>

#include "ir/model.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator MatMulNBits;

// How B holds a matrix [depth, columns]: each column in blocks, the last one filled up.
struct NBitsPacking {
  std::int64_t columns = 0, depth = 0, bits = 0, block = 0, blocks = 0, padded_depth = 0;
};
// Throws if A or B has other sizes.
NBitsPacking resolve_matmul_nbits(const opset::NodeView& node);

// An accuracy_level that lets A be rounded to 8 bits stays with the MatMul of the node's body, as metadata_props.
ir::Metadata rounding_to_int8();
bool may_round_to_int8(const ir::Metadata& metadata);

}  // namespace norn::ops::microsoft
