// A vector whose first N elements lie in the object itself, for members that nearly always have so few: a large graph
// then needs no allocation for each of its nodes. Iterators and references end where std::vector's do, and also when
// the object is moved.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace norn::ir {

template <class T, std::uint32_t N>
class SmallVector {
  static_assert(N > 0 && std::is_nothrow_move_constructible_v<T>);

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() noexcept {}
  SmallVector(std::initializer_list<T> elements) { append(elements.begin(), elements.size()); }
  template <std::ranges::contiguous_range R>
    requires(std::is_same_v<std::ranges::range_value_t<R>, T> && !std::is_same_v<std::remove_cvref_t<R>, SmallVector>)
  SmallVector(const R& elements) {
    append(std::ranges::data(elements), std::ranges::size(elements));
  }
  explicit SmallVector(std::size_t count, const T& element = T()) { resize(count, element); }
  template <std::input_iterator I>
  SmallVector(I first, I last) {
    assign(first, last);
  }
  SmallVector(const SmallVector& o) { append(o.data(), o.size_); }
  SmallVector(SmallVector&& o) noexcept { take(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) *this = SmallVector(o);
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this == &o) return *this;
    release();
    take(o);
    return *this;
  }
  ~SmallVector() { release(); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t capacity() const noexcept { return capacity_; }
  T* data() noexcept { return is_near() ? std::launder(reinterpret_cast<T*>(near_)) : far_; }
  const T* data() const noexcept { return is_near() ? std::launder(reinterpret_cast<const T*>(near_)) : far_; }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  T& at(std::size_t i) { return i < size_ ? data()[i] : throw std::out_of_range("SmallVector::at"); }
  const T& at(std::size_t i) const { return i < size_ ? data()[i] : throw std::out_of_range("SmallVector::at"); }
  T& front() noexcept { return *data(); }
  const T& front() const noexcept { return *data(); }
  T& back() noexcept { return data()[size_ - 1]; }
  const T& back() const noexcept { return data()[size_ - 1]; }

  void reserve(std::size_t elements) {
    if (elements > capacity_) grow(elements);
  }
  template <class... A>
  T& emplace_back(A&&... arguments) {
    if (size_ < capacity_) {
      T* made = std::construct_at(data() + size_, std::forward<A>(arguments)...);
      ++size_;
      return *made;
    }
    T element(std::forward<A>(arguments)...);  // the arguments may lie in the vector
    grow(std::size_t{size_} + 1);
    return *std::construct_at(data() + size_++, std::move(element));
  }
  void push_back(const T& element) { emplace_back(element); }
  void push_back(T&& element) { emplace_back(std::move(element)); }
  void pop_back() noexcept { std::destroy_at(data() + --size_); }
  void clear() noexcept {
    std::destroy_n(data(), size_);
    size_ = 0;
  }
  void resize(std::size_t elements) {
    reserve(elements);
    while (size_ > elements) pop_back();
    while (size_ < elements) emplace_back();
  }
  // The element may lie in the vector.
  void resize(std::size_t elements, const T& element) {
    const T copy = element;  // NOLINT(performance-unnecessary-copy-initialization)
    reserve(elements);
    while (size_ > elements) pop_back();
    while (size_ < elements) emplace_back(copy);
  }
  // These may not.
  template <std::input_iterator I>
  void assign(I first, I last) {
    clear();
    if constexpr (std::forward_iterator<I>) reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) emplace_back(*first);
  }
  void assign(std::size_t elements, const T& element) {
    const T copy = element;  // NOLINT(performance-unnecessary-copy-initialization)
    clear();
    resize(elements, copy);
  }
  iterator insert(const_iterator before, T element) {
    const std::ptrdiff_t at = before - begin();
    emplace_back(std::move(element));
    std::rotate(begin() + at, end() - 1, end());
    return begin() + at;
  }
  template <std::forward_iterator I>
  iterator insert(const_iterator before, I first, I last) {
    const std::ptrdiff_t at = before - begin();
    const std::size_t old = size_;
    reserve(old + static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) emplace_back(*first);
    std::rotate(begin() + at, begin() + static_cast<std::ptrdiff_t>(old), end());
    return begin() + at;
  }
  iterator insert(const_iterator before, std::initializer_list<T> elements) {
    return insert(before, elements.begin(), elements.end());
  }
  iterator erase(const_iterator element) { return erase(element, element + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    T* to = begin() + (first - begin());
    T* rest = std::move(begin() + (last - begin()), end(), to);
    while (end() != rest) pop_back();
    return to;
  }

  template <class Is>
  friend std::size_t erase_if(SmallVector& list, Is is) {
    const T* first = std::remove_if(list.begin(), list.end(), is);
    const auto count = static_cast<std::size_t>(list.end() - first);
    list.erase(first, list.end());
    return count;
  }
  template <std::ranges::input_range R>
    requires std::is_same_v<std::ranges::range_value_t<R>, T>
  friend bool operator==(const SmallVector& a, const R& b) {
    return std::ranges::equal(a, b);
  }

 private:
  bool is_near() const noexcept { return capacity_ == N; }
  void append(const T* elements, std::size_t count) {
    try {
      reserve(count);
      for (std::size_t i = 0; i < count; ++i) emplace_back(elements[i]);
    } catch (...) {
      release();
      throw;
    }
  }
  // To at least so many elements, more than there are.
  void grow(std::size_t elements) {
    if (elements > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("SmallVector");
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    const std::size_t capacity = std::max(elements, std::min(most, std::size_t{capacity_} * 2));
    T* memory = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data(), size_, memory);
    std::destroy_n(data(), size_);
    if (!is_near()) std::allocator<T>().deallocate(far_, capacity_);
    far_ = memory;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  // From the empty state.
  void take(SmallVector& o) noexcept {
    if (o.is_near()) {
      std::uninitialized_move_n(o.data(), o.size_, data());
      size_ = o.size_;
      o.clear();
      return;
    }
    far_ = o.far_;
    size_ = std::exchange(o.size_, 0);
    capacity_ = std::exchange(o.capacity_, N);
  }
  // To the empty state.
  void release() noexcept {
    clear();
    if (!is_near()) std::allocator<T>().deallocate(far_, capacity_);
    capacity_ = N;
  }

  std::uint32_t size_ = 0, capacity_ = N;  // far elements are more than N
  union {
    alignas(T) std::byte near_[N * sizeof(T)];
    T* far_;
  };
};

namespace detail {
template <class>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T, std::uint32_t N>
inline constexpr bool kIsList<SmallVector<T, N>> = true;
}  // namespace detail

// What a repeated field is kept in while it is built element by element.
template <class L>
concept List = detail::kIsList<L>;

}  // namespace norn::ir
