#include "ir/constants.h"

#include <array>

#include "norn/types.h"

namespace norn::ir {
namespace {

constexpr std::array<std::string_view, 15> kAttributeTypes{
    "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
    "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};

}  // namespace

std::span<const std::string_view> attribute_type_names() noexcept { return kAttributeTypes; }

std::string_view attribute_type_name(AttributeType type) noexcept {
  const auto i = static_cast<std::size_t>(type);
  return i < kAttributeTypes.size() ? kAttributeTypes[i] : "of an unknown type";
}

bool is_map_key(std::int32_t data_type) noexcept {
  if (data_type <= 0 || data_type >= kDataTypeCount) return false;
  switch (static_cast<DataType>(data_type)) {
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::Uint8:
    case DataType::Uint16:
    case DataType::Uint32:
    case DataType::Uint64:
    case DataType::String: return true;
    default: return false;
  }
}

}  // namespace norn::ir
