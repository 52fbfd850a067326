// Element types of ONNX tensors (TensorProto.DataType, IR 14).
//
// The enumerator values are the wire values, so a cast converts either way. Sub-byte types (4-bit, 2-bit and 6-bit)
// take one byte per element in a norn::Tensor; only files store them packed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "norn/export.h"

namespace norn {

enum class DataType : std::uint8_t {
  Undefined = 0,
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  Uint4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  Uint2 = 25,
  Int2 = 26,
  Float6E2M3 = 27,
  Float6E3M2 = 28,
};
inline constexpr int kDataTypeCount = 29;  // including Undefined

// Dimensions of a tensor whose sizes are all known; empty for a scalar (rank 0).
using Shape = std::vector<std::int64_t>;

// The specification's spelling: "float", "uint8", "bfloat16", "float8e4m3fn"; "undefined" for anything unknown.
NORN_API std::string_view data_type_name(DataType type) noexcept;
// Inverse of data_type_name; DataType::Undefined if the name is not one of the 28.
NORN_API DataType data_type_from_name(std::string_view name) noexcept;
// Bytes of one element in memory: 1 for sub-byte types, sizeof(std::string) for String, 0 for Undefined.
NORN_API std::size_t element_size(DataType type) noexcept;
// Bits of one element as a file stores it (4 for int4); 0 for String and Undefined.
NORN_API int storage_bits(DataType type) noexcept;

// Number of elements; throws norn::Error if a dimension is negative or the product overflows 63 bits.
NORN_API std::int64_t element_count(const Shape& dims);
// "[1,3,224,224]"; "[]" for a scalar.
NORN_API std::string to_string(const Shape& dims);

}  // namespace norn
