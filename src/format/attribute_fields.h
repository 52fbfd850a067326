// The field of AttributeProto that holds the value of an attribute of each type.
#pragma once
#include <array>
#include <string_view>

#include "ir/model.h"

namespace norn::format {

// By AttributeType; none for those of no type.
inline constexpr std::array<const char*, 15> kValueFields = {
    "none",           "f",    "i",          "s",       "t",      "g",
    "floats",         "ints", "strings",    "tensors", "graphs", "sparse_tensor",
    "sparse_tensors", "tp",   "type_protos"};

// "none" for a number that is not a type.
constexpr std::string_view value_field(ir::AttributeType type) {
  const auto number = static_cast<std::size_t>(type);
  return kValueFields[number < kValueFields.size() ? number : 0];
}

constexpr bool is_value_field(std::string_view field) {
  for (std::size_t i = 1; i < kValueFields.size(); ++i)
    if (field == kValueFields[i]) return true;
  return false;
}

}  // namespace norn::format
