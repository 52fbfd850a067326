// A tensor of one value, or of given ones, whose shape is an attribute, another tensor's, or another tensor's contents.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::experiments {

extern const opset::Operator ConstantFill, GivenTensorFill;

struct FillParams {
  enum class Shape : std::uint8_t { Attribute, OfInput, Contents } shape = Shape::Attribute;
  // The whole shape, or what follows that of the input.
  std::vector<std::int64_t> sizes;
};
FillParams resolve_fill(const opset::NodeView& node);

struct ConstantFillValue {
  DataType type = DataType::Float;
  std::string text;  // of the value in that type
};
ConstantFillValue resolve_constant_fill_value(const opset::NodeView& node);

}  // namespace norn::ops::experiments
