// Memory of tensors. An empty one has a valid pointer as well, so that kernels need no special case.
#include "norn/value.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/aligned.h"
#include "base/checked.h"
#include "base/given_up.h"
#include "base/mapped_file.h"
#include "base/number.h"
#include "base/room.h"
#include "base/shared_sequence.h"
#include "norn/element.h"
#include "norn/spaced.h"

namespace norn {
namespace {

std::shared_ptr<void> aligned_memory(std::size_t bytes) { return {base::aligned_new(bytes), base::aligned_delete}; }

// Elements with room behind them.
struct Spaced {
  base::Room room;
  Shape dims;
  std::size_t blocks, bytes, distance;  // stretches of elements that lie together

  void copy(const void* from, void* to) const {
    for (std::size_t b = 0; b < blocks && bytes > 0; ++b)
      std::memcpy(static_cast<std::byte*>(to) + b * bytes, static_cast<const std::byte*>(from) + b * distance, bytes);
  }
};

// Owners of memory that is not aligned, or has room. Their deleters identify them (std::get_deleter).
struct Unaligned {
  std::shared_ptr<const void> owner;
  mutable std::once_flag once;
  mutable std::shared_ptr<void> copy;
  mutable std::atomic<bool> copied{false};
};
template <class T>
struct Deleter {
  void operator()(const T* object) const noexcept { delete object; }
};
template <class T>
const T* held_by(const std::shared_ptr<const void>& owner) noexcept {
  return std::get_deleter<Deleter<T>>(owner) ? static_cast<const T*>(owner.get()) : nullptr;
}

[[noreturn]] void no_memory(DataType dtype, const Shape& dims, std::optional<std::int64_t> bytes) {
  throw Error(ErrorCode::LimitExceeded, "not enough memory for a tensor " + std::string(data_type_name(dtype)) +
                                            to_string(dims) +
                                            (bytes ? " (" + std::to_string(*bytes) + " bytes)" : std::string()));
}

[[noreturn]] void wrong_kind(const char* wanted, const Value& value) {
  throw Error(ErrorCode::InvalidArgument, std::string("expected a ") + wanted + ", got " + value.describe());
}

}  // namespace

Tensor::Tensor(DataType dtype, Shape dims) : dims_(std::move(dims)), dtype_(dtype) {
  size_ = element_count(dims_);
  if (dtype == DataType::Undefined || static_cast<int>(dtype) >= kDataTypeCount) {
    throw Error(ErrorCode::InvalidArgument, "a tensor needs an element type");
  }
  auto total = base::checked_mul(size_, static_cast<std::int64_t>(element_size(dtype)));
  try {
    if (!total) throw std::bad_alloc();
    if (dtype == DataType::String) {
      auto strings = std::make_shared<std::vector<std::string>>(static_cast<std::size_t>(size_ ? size_ : 1));
      data_ = strings->data();
      owner_ = std::move(strings);
    } else {
      std::shared_ptr<void> memory = aligned_memory(static_cast<std::size_t>(*total));
      data_ = memory.get();
      owner_ = std::move(memory);
    }
  } catch (const std::exception&) {
    no_memory(dtype, dims_, total);
  }
}

Tensor Tensor::borrow(DataType dtype, Shape dims, void* data, std::shared_ptr<const void> owner) {
  Tensor t;
  t.size_ = element_count(dims);
  if (!base::checked_mul(t.size_, static_cast<std::int64_t>(element_size(dtype)))) {
    throw Error(ErrorCode::LimitExceeded, "a tensor has more bytes than 63 bits can count: " + to_string(dims));
  }
  t.dims_ = std::move(dims);
  t.dtype_ = dtype;
  t.data_ = data;
  t.owner_ = std::move(owner);
  return t;
}

Tensor Tensor::borrow_unaligned(DataType dtype, Shape dims, const void* data, std::shared_ptr<const void> owner) {
  std::shared_ptr<Unaligned> held(new Unaligned, Deleter<Unaligned>());
  held->owner = std::move(owner);
  Tensor t = borrow(dtype, std::move(dims), const_cast<void*>(data), std::move(held));
  t.unaligned_ = true;
  return t;
}

void* Tensor::aligned() const {
  const auto* held = static_cast<const Unaligned*>(owner_.get());
  const auto* spaced = held_by<Spaced>(held->owner);
  if (spaced && spaced->blocks == 1) return data_;
  try {
    std::call_once(held->once, [&] {
      std::shared_ptr<void> copy = aligned_memory(bytes());
      if (spaced) {
        spaced->copy(data_, copy.get());
      } else {
        std::memcpy(copy.get(), data_, bytes());
        base::release_pages(data_, bytes());
      }
      held->copy = std::move(copy);
      held->copied.store(true, std::memory_order_release);
    });
  } catch (const std::bad_alloc&) {
    no_memory(dtype_, dims_, static_cast<std::int64_t>(bytes()));
  }
  return held->copy.get();
}

void Tensor::not_held_in(std::uint32_t types) const {
  std::string names;
  for (int i = 1; i < kDataTypeCount && types != types_held_in<std::byte>(); ++i) {
    if (types >> i & 1) names += (names.empty() ? "" : " or ") + std::string(data_type_name(static_cast<DataType>(i)));
  }
  throw Error(ErrorCode::InvalidArgument,
              "the elements of a tensor " + std::string(data_type_name(dtype_)) + to_string(dims_) +
                  " were accessed as " + (names.empty() ? "bytes" : "elements of type " + names),
              {}, "dtype() says which as<T>() fits; data() gives the memory as it is");
}

Tensor Tensor::reshaped(Shape dims) const {
  if (element_count(dims) != size_) {
    throw Error(ErrorCode::InvalidArgument,
                "cannot view " + to_string(dims_) + " as " + to_string(dims) + ": the numbers of elements differ");
  }
  Tensor t = *this;
  t.dims_ = std::move(dims);
  return t;
}

Tensor Tensor::clone() const {
  if (!defined()) return {};
  Tensor t(dtype_, dims_);
  if (dtype_ == DataType::String) {
    auto from = as<std::string>();
    auto to = t.as_mutable<std::string>();
    for (std::int64_t i = 0; i < size_; ++i) to[i] = from[i];
  } else if (size_ > 0) {
    const auto* held = held_by<Unaligned>(owner_);
    // What has room keeps it: it is not made dense in place.
    if (const auto* spaced = held ? held_by<Spaced>(held->owner) : nullptr)
      spaced->copy(data_, t.data_);
    else
      std::memcpy(t.data_, data_, bytes());
  }
  return t;
}

namespace base {

Tensor with_room(DataType dtype, Shape dims, Room room) {
  std::shared_ptr<Spaced> spaced(new Spaced{std::move(room), dims, 1, element_size(dtype), 0}, Deleter<Spaced>());
  const std::size_t axis = spaced->room.axis;
  for (std::size_t d = 0; d < dims.size(); ++d)
    (d < axis ? spaced->blocks : spaced->bytes) *= static_cast<std::size_t>(dims[d]);
  const auto positions = static_cast<std::size_t>(dims[axis]);
  spaced->distance = positions == 0 ? 0 : spaced->bytes / positions * static_cast<std::size_t>(spaced->room.capacity);
  const void* const data = spaced->room.reserve->data;
  return Tensor::borrow_unaligned(dtype, std::move(dims), data, std::move(spaced));
}

const Room* room_of(const Tensor& tensor) noexcept {
  const auto* held = held_by<Unaligned>(tensor.owner());
  const auto* spaced = held ? held_by<Spaced>(held->owner) : nullptr;
  if (!spaced || held->copied.load(std::memory_order_acquire) || spaced->dims != tensor.dims()) return nullptr;
  return &spaced->room;
}

bool lies_in_reserve(const Tensor& tensor) noexcept {
  const auto* held = held_by<Unaligned>(tensor.owner());
  return held && held_by<Spaced>(held->owner) != nullptr;
}

}  // namespace base

std::optional<SpacedElements> spaced_elements(const Tensor& tensor) {
  const base::Room* room = base::room_of(tensor);
  if (!room) return {};
  SpacedElements elements{tensor.bytes_in_place(), std::vector<std::int64_t>(tensor.dims().size(), 1)};
  std::int64_t step = 1;
  for (std::size_t d = tensor.dims().size(); d-- > 0;) {
    elements.strides[d] = step;
    step *= d == room->axis ? room->capacity : tensor.dims()[d];
  }
  return elements;
}

Tensor share_room(const Tensor& tensor) {
  const base::Room* room = base::room_of(tensor);
  return room ? base::with_room(tensor.dtype(), tensor.dims(), *room) : tensor;
}

Value::Value(Sequence sequence) : v_(std::make_shared<base::SharedSequence>(std::move(sequence))) {}
Value::Value(Map map) : v_(std::make_shared<const Map>(std::move(map))) {}
Value::Value(SparseTensor sparse) : v_(std::make_shared<const SparseTensor>(std::move(sparse))) {}

const Tensor& Value::tensor() const {
  if (!is_tensor()) wrong_kind("tensor", *this);
  return std::get<Tensor>(v_);
}
Tensor& Value::tensor() {
  if (!is_tensor()) wrong_kind("tensor", *this);
  return std::get<Tensor>(v_);
}
const Sequence& Value::sequence() const {
  base::SharedSequence& list = base::list_of(*this);
  if (list.removed.load(std::memory_order_acquire) > 0) [[unlikely]]
    list.make_whole();
  return list;
}
base::SharedSequence& base::list_of(const Value& value) {
  if (!value.is_sequence()) wrong_kind("sequence", value);
  const auto& list = std::get<std::shared_ptr<const Sequence>>(value.v_);
  return const_cast<SharedSequence&>(static_cast<const SharedSequence&>(*list));
}
const Map& Value::map() const {
  if (!is_map()) wrong_kind("map", *this);
  return *std::get<std::shared_ptr<const Map>>(v_);
}
const SparseTensor& Value::sparse() const {
  if (!is_sparse()) wrong_kind("sparse tensor", *this);
  return *std::get<std::shared_ptr<const SparseTensor>>(v_);
}

std::string Value::describe() const {
  switch (v_.index()) {
    case 1: {
      const Tensor& t = std::get<Tensor>(v_);
      return t.defined() ? std::string(data_type_name(t.dtype())) + to_string(t.dims()) : "undefined tensor";
    }
    case 2: return "seq of " + std::to_string(base::length_of(*this));
    case 3: return "map of " + std::to_string(map().values.size());
    case 4: return "sparse " + std::string(data_type_name(sparse().values.dtype())) + to_string(sparse().dims);
    default: return "none";
  }
}

std::optional<double> number_at(const Tensor& tensor, std::int64_t i) {
  switch (tensor.dtype()) {
    case DataType::Undefined:
    case DataType::String:
    case DataType::Complex64:
    case DataType::Complex128: return {};
    case DataType::Float: return tensor.as<float>()[i];
    case DataType::Double: return tensor.as<double>()[i];
    case DataType::Bool:
    case DataType::Uint2:
    case DataType::Uint4:
    case DataType::Uint8: return tensor.as<std::uint8_t>()[i];
    case DataType::Int2:
    case DataType::Int4:
    case DataType::Int8: return tensor.as<std::int8_t>()[i];
    case DataType::Uint16: return tensor.as<std::uint16_t>()[i];
    case DataType::Int16: return tensor.as<std::int16_t>()[i];
    case DataType::Uint32: return tensor.as<std::uint32_t>()[i];
    case DataType::Int32: return tensor.as<std::int32_t>()[i];
    case DataType::Uint64: return static_cast<double>(tensor.as<std::uint64_t>()[i]);
    case DataType::Int64: return static_cast<double>(tensor.as<std::int64_t>()[i]);
    case DataType::Float16:
    case DataType::BFloat16: return base::small_float_to_float(tensor.dtype(), tensor.as<std::uint16_t>()[i]);
    default: return base::small_float_to_float(tensor.dtype(), tensor.as<std::uint8_t>()[i]);
  }
}

}  // namespace norn
