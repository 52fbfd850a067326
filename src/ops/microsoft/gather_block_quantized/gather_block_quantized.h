// Rows of a table of integers that have a scale for each block, as embeddings of quantised language models.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator GatherBlockQuantized;

struct GatherBlockQuantizedParams {
  std::int64_t bits = 0;  // of an element
  std::int64_t block = 0;
  std::optional<std::int64_t> gathered, blocked;  // axes counted from the front; nothing if the rank is not known
};
// For data of this type.
GatherBlockQuantizedParams resolve_gather_block_quantized(const opset::NodeView& node, DataType data);

}  // namespace norn::ops::microsoft
