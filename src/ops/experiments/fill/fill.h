// A tensor of one value, or of given ones, whose shape is an attribute, another tensor's, or another tensor's contents.
#pragma once
#include <cstdint>
#include <vector>

#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops::experiments {

extern const opset::Operator ConstantFill, GivenTensorFill;

struct FillParams {
  enum class Shape : std::uint8_t { Attribute, OfInput, Contents } shape = Shape::Attribute;
  // The whole shape, or what follows that of the input.
  std::vector<std::int64_t> sizes;
};
// Throws norn::Error (InvalidGraph).
FillParams resolve_fill(const opset::Attrs& attrs, bool has_input);

// The element type of ConstantFill's output; throws norn::Error (InvalidGraph) for one that it does not have.
DataType constant_fill_type(const opset::Attrs& attrs);

}  // namespace norn::ops::experiments
