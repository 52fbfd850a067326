// A vector that only grows and never moves an element: they lie in blocks of kBlock.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/memory.h"

namespace norn::base {

template <class T, std::size_t kBlock = 256>
class StableVector {
 public:
  StableVector() = default;
  StableVector(const StableVector&) = delete;
  StableVector& operator=(const StableVector&) = delete;
  ~StableVector() {
    for (std::size_t i = 0; i < size_; ++i) std::destroy_at(&(*this)[i]);
  }

  std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) noexcept {
    return *std::launder(reinterpret_cast<T*>(blocks_[i / kBlock]->at[i % kBlock]));
  }
  const T& operator[](std::size_t i) const noexcept { return const_cast<StableVector&>(*this)[i]; }
  template <class... A>
  T& emplace_back(A&&... arguments) {
    if (size_ == blocks_.size() * kBlock) add_blocks(1);
    T* made = ::new (static_cast<void*>(blocks_[size_ / kBlock]->at[size_ % kBlock])) T{std::forward<A>(arguments)...};
    ++size_;
    return *made;
  }
  // Makes room for so many elements, for new ones in one piece.
  void reserve(std::size_t elements) {
    const std::size_t blocks = (elements + kBlock - 1) / kBlock;
    if (blocks > blocks_.size()) add_blocks(blocks - blocks_.size());
  }

 private:
  struct Block {
    alignas(T) std::byte at[kBlock][sizeof(T)];
  };
  void add_blocks(std::size_t count) {
    Block* first = memory_.emplace_back(std::make_unique_for_overwrite<Block[]>(count)).get();
    prepare_to_fill(first, count * sizeof(Block));
    for (std::size_t i = 0; i < count; ++i) blocks_.push_back(first + i);
  }

  std::vector<std::unique_ptr<Block[]>> memory_;
  std::vector<Block*> blocks_;  // in memory_
  std::size_t size_ = 0;
};

}  // namespace norn::base
