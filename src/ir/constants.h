// What the document says by number: its version, attribute types, element types in a special role.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace norn::ir {

inline constexpr std::int64_t kNewestIrVersion = 14;

// AttributeProto.AttributeType, wire values.
enum class AttributeType : std::int32_t {
  Undefined = 0,
  Float = 1,
  Int = 2,
  String = 3,
  Tensor = 4,
  Graph = 5,
  Floats = 6,
  Ints = 7,
  Strings = 8,
  Tensors = 9,
  Graphs = 10,
  SparseTensor = 11,
  SparseTensors = 12,
  TypeProto = 13,
  TypeProtos = 14,
};

// By number, as the schema spells them: "UNDEFINED", "FLOAT", "INT", ...
std::span<const std::string_view> attribute_type_names() noexcept;
// For a number without a type: "of an unknown type", as in "it is of an unknown type".
std::string_view attribute_type_name(AttributeType type) noexcept;

// Whether maps have keys of this type: an integer type or string.
bool is_map_key(std::int32_t data_type) noexcept;

}  // namespace norn::ir
