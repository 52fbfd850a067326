// Values at run time: tensors, sequences, maps, sparse tensors, and the empty optional.
//
// Copies are cheap and share memory. A value handed to a running session must not be written to until the run ends;
// apart from that, distinct objects may be used from distinct threads even when they share memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/types.h"

namespace norn {

// Where a tensor's memory lives.
struct Device {
  enum class Kind : std::uint8_t { Cpu };
  Kind kind = Kind::Cpu;
  int index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

// A dense, row-major array. Elements are stored in memory order without gaps; String elements are std::string objects.
class NORN_API Tensor {
 public:
  // An undefined tensor: dtype Undefined, no memory.
  Tensor() = default;
  // Allocates (64-byte aligned). Elements are uninitialised, strings empty. Throws norn::Error on a bad shape.
  Tensor(DataType dtype, Shape dims);
  // Uses `data` in place for as long as `owner` (may be null: then the caller keeps the memory alive).
  static Tensor borrow(DataType dtype, Shape dims, void* data, std::shared_ptr<const void> owner = {});

  DataType dtype() const noexcept { return dtype_; }
  const Shape& dims() const noexcept { return dims_; }
  int rank() const noexcept { return static_cast<int>(dims_.size()); }
  std::int64_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * element_size(dtype_); }
  Device device() const noexcept { return device_; }
  bool defined() const noexcept { return dtype_ != DataType::Undefined; }

  const void* data() const noexcept { return data_; }
  void* mutable_data() noexcept { return data_; }
  template <class T>
  const T* as() const noexcept { return static_cast<const T*>(data_); }
  template <class T>
  T* as_mutable() noexcept { return static_cast<T*>(data_); }

  // The same memory under other dimensions of equal element count.
  Tensor reshaped(Shape dims) const;
  // A deep copy that owns its memory.
  Tensor clone() const;
  // True if this object keeps its memory alive (false for borrow() without an owner).
  bool owns() const noexcept { return owner_ != nullptr; }
  const std::shared_ptr<const void>& owner() const noexcept { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  void* data_ = nullptr;
  std::int64_t size_ = 0;
  Shape dims_;
  DataType dtype_ = DataType::Undefined;
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
  std::variant<std::monostate, Tensor, std::shared_ptr<const Sequence>, std::shared_ptr<const Map>,
               std::shared_ptr<const SparseTensor>>
      v_;
};

}  // namespace norn
