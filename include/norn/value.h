// Values at run time: tensors, sequences, maps, sparse tensors, and the empty optional.
//
// Copies are cheap and share memory. A value handed to a running session must not be written to until the run ends;
// apart from that, distinct objects may be used from distinct threads even when they share memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/types.h"

namespace norn {

class Value;
namespace base {
struct SharedSequence;
SharedSequence& list_of(const Value& sequence);
}  // namespace base

// Where a tensor's memory lives.
struct Device {
  enum class Kind : std::uint8_t { Cpu };
  Kind kind = Kind::Cpu;
  int index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

// The element types whose elements are a T in memory, a bit for each. C++ has a type of its own for most. The bits of
// the others are held in an unsigned integer of the element's size (float16 and bfloat16 in std::uint16_t; float8,
// float6, float4, uint4 and uint2 in std::uint8_t); int4 and int2, sign-extended, in std::int8_t. A bool may be read as
// std::uint8_t, a complex number as its two parts, and everything but strings as std::byte.
template <class T>
consteval std::uint32_t types_held_in() {
  using enum DataType;
  constexpr auto are = [](auto... types) { return (... | (std::uint32_t{1} << static_cast<int>(types))); };
  if (std::is_same_v<T, std::byte>) return ~are(Undefined, String);
  if (std::is_same_v<T, std::string>) return are(String);
  if (std::is_same_v<T, bool>) return are(Bool);
  if (std::is_same_v<T, float>) return are(Float, Complex64);
  if (std::is_same_v<T, double>) return are(Double, Complex128);
  if constexpr (requires(const T& t) {
                  typename T::value_type;
                  t.real();
                  t.imag();
                }) {  // std::complex
    if (std::is_same_v<typename T::value_type, float>) return are(Complex64);
    if (std::is_same_v<typename T::value_type, double>) return are(Complex128);
  }
  if (!std::is_integral_v<T> || std::is_same_v<T, char>) return 0;
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 8: return is_signed ? are(Int64) : are(Uint64);
    case 4: return is_signed ? are(Int32) : are(Uint32);
    case 2: return is_signed ? are(Int16) : are(Uint16, Float16, BFloat16);
    default: break;
  }
  if (is_signed) return are(Int8, Int4, Int2);
  return are(Uint8, Bool, Uint4, Uint2, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float8E8M0,
             Float6E2M3, Float6E3M2, Float4E2M1);
}

// A dense, row-major array. Elements are stored in memory order without gaps; String elements are std::string objects.
// A bool is 0 or 1, and the byte of a sub-byte element is one of its values: a session takes any other byte of a bool
// for true, and refuses a sub-byte element out of range.
class NORN_API Tensor {
 public:
  // An undefined tensor: dtype Undefined, no memory.
  Tensor() = default;
  // Allocates (64-byte aligned). Elements are uninitialised, strings empty. Throws norn::Error on a bad shape.
  Tensor(DataType dtype, Shape dims);
  // Uses `data` in place for as long as `owner` (may be null: then the caller keeps the memory alive).
  static Tensor borrow(DataType dtype, Shape dims, void* data, std::shared_ptr<const void> owner = {});

  // The same for memory that is not aligned for its elements, as in a file: it is copied when the elements are first
  // asked for, by any tensor that shares it; thread-safe.
  static Tensor borrow_unaligned(DataType dtype, Shape dims, const void* data, std::shared_ptr<const void> owner);

  DataType dtype() const noexcept { return dtype_; }
  const Shape& dims() const noexcept { return dims_; }
  int rank() const noexcept { return static_cast<int>(dims_.size()); }
  std::int64_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * element_size(dtype_); }
  Device device() const noexcept { return device_; }
  bool defined() const noexcept { return dtype_ != DataType::Undefined; }

  // The memory, whatever the element type is. Throws norn::Error (LimitExceeded) if what is not aligned cannot be
  // copied.
  const void* data() const { return unaligned_ ? aligned() : data_; }
  void* mutable_data() { return unaligned_ ? aligned() : data_; }
  // The bytes where they lie, aligned or not.
  const void* bytes_in_place() const noexcept { return data_; }
  // The elements. Throws norn::Error (InvalidArgument) if they are not T in memory: see types_held_in().
  template <class T>
  const T* as() const {
    static_assert(types_held_in<T>() != 0, "no element type is held in a T");
    check_held_in(types_held_in<T>());
    return static_cast<const T*>(data());
  }
  template <class T>
  T* as_mutable() {
    static_assert(types_held_in<T>() != 0, "no element type is held in a T");
    check_held_in(types_held_in<T>());
    return static_cast<T*>(mutable_data());
  }

  // The same memory under other dimensions of equal element count.
  Tensor reshaped(Shape dims) const;
  // A deep copy that owns its memory.
  Tensor clone() const;
  // True if this object keeps its memory alive (false for borrow() without an owner).
  bool owns() const noexcept { return owner_ != nullptr; }
  const std::shared_ptr<const void>& owner() const noexcept { return owner_; }

 private:
  void check_held_in(std::uint32_t types) const {
    if (!(types >> static_cast<int>(dtype_) & 1)) [[unlikely]]
      not_held_in(types);
  }
  [[noreturn]] void not_held_in(std::uint32_t types) const;
  void* aligned() const;

  std::shared_ptr<const void> owner_;
  void* data_ = nullptr;
  std::int64_t size_ = 0;
  Shape dims_;
  DataType dtype_ = DataType::Undefined;
  bool unaligned_ = false;  // then owner_ holds the aligned copy too
  Device device_;
};

class Value;

// Values of one type, in order.
struct Sequence {
  std::vector<Value> items;
};

// Keys are Int64 or String; keys and values have equal length.
struct Map {
  Tensor keys;
  std::vector<Value> values;
};

// COO: `indices` is int64 [nnz] (linear) or [nnz, rank], sorted, without duplicates; `values` is [nnz].
struct SparseTensor {
  Tensor values, indices;
  Shape dims;
};

// Any ONNX value. A default Value is the empty optional; an optional that holds something is that something.
class NORN_API Value {
 public:
  Value() = default;
  Value(Tensor tensor) : v_(std::move(tensor)) {}
  Value(Sequence sequence);
  Value(Map map);
  Value(SparseTensor sparse);

  bool is_empty() const noexcept { return v_.index() == 0; }
  bool is_tensor() const noexcept { return v_.index() == 1; }
  bool is_sequence() const noexcept { return v_.index() == 2; }
  bool is_map() const noexcept { return v_.index() == 3; }
  bool is_sparse() const noexcept { return v_.index() == 4; }

  // Each throws norn::Error if the value is of another kind.
  const Tensor& tensor() const;
  Tensor& tensor();
  const Sequence& sequence() const;
  const Map& map() const;
  const SparseTensor& sparse() const;
  // "float[2,3]", "seq of 4", "map of 10", "none"
  std::string describe() const;

 private:
  friend base::SharedSequence& base::list_of(const Value& sequence);

  std::variant<std::monostate, Tensor, std::shared_ptr<const Sequence>, std::shared_ptr<const Map>,
               std::shared_ptr<const SparseTensor>>
      v_;
};

}  // namespace norn
