// Memory of tensors. 64-byte alignment suits every vector width; an empty tensor has a valid pointer as well, so that
// kernels need no special case.
#include "norn/value.h"

#include <cstring>
#include <new>
#include <utility>

#include "base/checked.h"

namespace norn {
namespace {

constexpr std::align_val_t kAlignment{64};

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
      void* memory = ::operator new(static_cast<std::size_t>(*total ? *total : 1), kAlignment);
      data_ = memory;
      owner_ = std::shared_ptr<const void>(memory, [](void* p) { ::operator delete(p, kAlignment); });
    }
  } catch (const std::exception&) {
    throw Error(ErrorCode::LimitExceeded, "not enough memory for a tensor " + std::string(data_type_name(dtype)) +
                                              to_string(dims_) +
                                              (total ? " (" + std::to_string(*total) + " bytes)" : std::string()));
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

void Tensor::not_held_in(std::uint32_t types) const {
  std::string names;
  for (int i = 1; i < kDataTypeCount && types != types_held_in<std::byte>(); ++i) {
    if (types >> i & 1) names += (names.empty() ? "" : " or ") + std::string(data_type_name(static_cast<DataType>(i)));
  }
  throw Error(ErrorCode::InvalidArgument,
              "the elements of a tensor " + std::string(data_type_name(dtype_)) + to_string(dims_) +
                  " were accessed as " + (names.empty() ? "bytes" : "elements of type " + names),
              {}, "dtype() tells which as<T>() fits; data() gives the memory as it is");
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
    std::memcpy(t.data_, data_, bytes());
  }
  return t;
}

Value::Value(Sequence sequence) : v_(std::make_shared<const Sequence>(std::move(sequence))) {}
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
  if (!is_sequence()) wrong_kind("sequence", *this);
  return *std::get<std::shared_ptr<const Sequence>>(v_);
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
    case 2: return "seq of " + std::to_string(sequence().items.size());
    case 3: return "map of " + std::to_string(map().values.size());
    case 4: return "sparse " + std::string(data_type_name(sparse().values.dtype())) + to_string(sparse().dims);
    default: return "none";
  }
}

}  // namespace norn
