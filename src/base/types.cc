// One table of the element types; everything that is asked about a type is read from its row.
#include "norn/types.h"

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "norn/error.h"

namespace norn {
namespace {

struct TypeRow {
  std::string_view name;
  int bits;           // of one element in a file
  std::size_t bytes;  // of one element in memory
};

constexpr std::array<TypeRow, kDataTypeCount> kTypes = {{
    {"undefined", 0, 0},      {"float", 32, 4},     {"uint8", 8, 1},
    {"int8", 8, 1},           {"uint16", 16, 2},    {"int16", 16, 2},
    {"int32", 32, 4},         {"int64", 64, 8},     {"string", 0, sizeof(std::string)},
    {"bool", 8, 1},           {"float16", 16, 2},   {"double", 64, 8},
    {"uint32", 32, 4},        {"uint64", 64, 8},    {"complex64", 64, 8},
    {"complex128", 128, 16},  {"bfloat16", 16, 2},  {"float8e4m3fn", 8, 1},
    {"float8e4m3fnuz", 8, 1}, {"float8e5m2", 8, 1}, {"float8e5m2fnuz", 8, 1},
    {"uint4", 4, 1},          {"int4", 4, 1},       {"float4e2m1", 4, 1},
    {"float8e8m0", 8, 1},     {"uint2", 2, 1},      {"int2", 2, 1},
    {"float6e2m3", 6, 1},     {"float6e3m2", 6, 1},
}};

const TypeRow& row(DataType type) noexcept {
  auto i = static_cast<std::size_t>(type);
  return kTypes[i < kTypes.size() ? i : 0];
}

}  // namespace

std::string_view data_type_name(DataType type) noexcept { return row(type).name; }

DataType data_type_from_name(std::string_view name) noexcept {
  for (std::size_t i = 1; i < kTypes.size(); ++i)
    if (kTypes[i].name == name) return static_cast<DataType>(i);
  return DataType::Undefined;
}

std::size_t element_size(DataType type) noexcept { return row(type).bytes; }
int storage_bits(DataType type) noexcept { return row(type).bits; }

std::int64_t element_count(const Shape& dims) {
  if (const auto count = base::checked_count(dims)) return *count;
  if (std::any_of(dims.begin(), dims.end(), [](std::int64_t d) { return d < 0; })) {
    throw Error(ErrorCode::InvalidArgument, "a shape has a negative dimension: " + to_string(dims));
  }
  throw Error(ErrorCode::LimitExceeded, "a shape has more elements than 63 bits can count: " + to_string(dims));
}

std::string to_string(const Shape& dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace norn
