// Building blocks of the document: fields that remember whether they were set, shared immutable arrays, owning boxes,
// and members that cost one word until they are set.
//
// protobuf distinguishes "set to the default" from "not set", and a lossless reader has to as well; Field<T> reads as
// the default while unset. SharedArray is how a model copies cheaply and how tensor bytes stay in the mapped file.
// Fields that hardly any model sets are Rare, since large graphs are read, walked and freed at the speed of memory.
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace norn::ir {

template <class T>
class Field {
 public:
  Field() = default;
  Field(T value) : value_(std::move(value)), set_(true) {}
  template <class U>
    requires std::is_convertible_v<U, T>
  Field& operator=(U&& value) {
    value_ = std::forward<U>(value);
    set_ = true;
    return *this;
  }
  const T& get() const noexcept { return value_; }
  operator const T&() const noexcept { return value_; }
  const T* operator->() const noexcept { return &value_; }
  bool has() const noexcept { return set_; }
  // Marks the field as set.
  T& mut() noexcept {
    set_ = true;
    return value_;
  }
  void clear() {
    value_ = T{};
    set_ = false;
  }
  friend bool operator==(const Field& a, const Field& b) { return a.set_ == b.set_ && a.value_ == b.value_; }
  template <class U>
    requires(!std::is_same_v<U, Field>)
  friend bool operator==(const Field& a, const U& b) {
    return a.value_ == b;
  }

 private:
  T value_{};
  bool set_ = false;
};

// Immutable elements, shared between copies; the owner is a vector, a mapped file, or anything that keeps them alive.
template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  SharedArray(std::vector<T> values) {
    if (values.empty()) return;
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    data_ = owner->data();
    size_ = owner->size();
    owner_ = std::move(owner);
  }
  SharedArray(const T* data, std::size_t size, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), data_(data), size_(size) {}

  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  std::span<const T> span() const noexcept { return {data_, size_}; }
  const std::shared_ptr<const void>& owner() const noexcept { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

using Bytes = SharedArray<std::byte>;

inline std::string_view as_text(const Bytes& b) noexcept { return {reinterpret_cast<const char*>(b.data()), b.size()}; }
// Copies.
inline Bytes bytes_of(std::string_view text) {
  std::vector<std::byte> copy(text.size());
  if (!text.empty()) std::memcpy(copy.data(), text.data(), text.size());
  return Bytes(std::move(copy));
}

// An optional sub-message: null when not set; copying copies the content.
template <class T>
class Box {
 public:
  Box() = default;
  Box(T value) : p_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& o) : p_(o.p_ ? std::make_unique<T>(*o.p_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& o) {
    if (this != &o) p_ = o.p_ ? std::make_unique<T>(*o.p_) : nullptr;
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;

  bool has() const noexcept { return p_ != nullptr; }
  explicit operator bool() const noexcept { return has(); }
  const T& operator*() const noexcept { return *p_; }
  const T* operator->() const noexcept { return p_.get(); }
  T& operator*() noexcept { return *p_; }
  T* operator->() noexcept { return p_.get(); }
  // Creates the message if it is absent.
  T& mut() {
    if (!p_) p_ = std::make_unique<T>();
    return *p_;
  }
  void clear() noexcept { p_.reset(); }

 private:
  std::unique_ptr<T> p_;
};

// A Field, vector or SharedArray that few messages set. Reads as an empty one until it is set, and offers its members.
template <class T>
class Rare {
 public:
  Rare() = default;
  template <class U>
    requires(std::is_constructible_v<T, U> && !std::is_same_v<std::remove_cvref_t<U>, Rare>)
  Rare(U&& value) : p_(std::make_unique<T>(std::forward<U>(value))) {}
  Rare(const Rare& o) : p_(o.p_ ? std::make_unique<T>(*o.p_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& o) {
    if (this != &o) p_ = o.p_ ? std::make_unique<T>(*o.p_) : nullptr;
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;

  const T& value() const noexcept { return p_ ? *p_ : empty_value(); }
  operator const T&() const noexcept { return value(); }
  // Makes room for it.
  T& mut_value() {
    if (!p_) p_ = std::make_unique<T>();
    return *p_;
  }
  void clear() noexcept { p_.reset(); }

  // Of a Field.
  decltype(auto) get() const noexcept { return value().get(); }
  bool has() const noexcept { return p_ && p_->has(); }
  decltype(auto) mut() { return mut_value().mut(); }
  auto operator->() const noexcept { return value().operator->(); }

  // Of a vector or SharedArray.
  auto data() const noexcept { return value().data(); }
  std::size_t size() const noexcept { return p_ ? p_->size() : 0; }
  bool empty() const noexcept { return size() == 0; }
  auto begin() const noexcept { return value().begin(); }
  auto end() const noexcept { return value().end(); }
  decltype(auto) operator[](std::size_t i) const noexcept { return value()[i]; }
  auto span() const noexcept { return value().span(); }
  decltype(auto) owner() const noexcept { return value().owner(); }

  // Of a vector that changes.
  auto begin() { return mut_value().begin(); }
  auto end() { return mut_value().end(); }
  decltype(auto) operator[](std::size_t i) { return mut_value()[i]; }
  decltype(auto) back() { return mut_value().back(); }
  void reserve(std::size_t elements) { mut_value().reserve(elements); }
  template <class U>
  void push_back(U&& element) {
    mut_value().push_back(std::forward<U>(element));
  }
  template <class... A>
  decltype(auto) emplace_back(A&&... arguments) {
    return mut_value().emplace_back(std::forward<A>(arguments)...);
  }

  friend bool operator==(const Rare& a, const Rare& b) { return a.value() == b.value(); }

 private:
  static const T& empty_value() noexcept {
    static const T none{};
    return none;
  }
  std::unique_ptr<T> p_;
};

// The member itself, whether it is Rare or not.
template <class T>
const T& plain(const T& member) noexcept {
  return member;
}
template <class T>
const T& plain(const Rare<T>& member) noexcept {
  return member.value();
}
template <class T>
T& plain_mut(T& member) noexcept {
  return member;
}
template <class T>
T& plain_mut(Rare<T>& member) {
  return member.mut_value();
}

}  // namespace norn::ir
