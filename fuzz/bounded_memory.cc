#include "bounded_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

std::atomic<std::size_t> largest_allocation{std::numeric_limits<std::size_t>::max()};

void* allocate_or_null(std::size_t size, std::size_t alignment) noexcept {
  void* memory = nullptr;
  if (size <= largest_allocation.load(std::memory_order_relaxed)) {
    // aligned_alloc wants a multiple.
    const std::size_t whole = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
    memory = alignment <= alignof(std::max_align_t) ? std::malloc(std::max<std::size_t>(size, 1))
                                                    : std::aligned_alloc(alignment, whole);
  }
  return memory;
}

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = allocate_or_null(size, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Those of arrays call these. The sanitizers' own forms for std::nothrow would not: what they give is not free()d.
void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate_or_null(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace norn::fuzz {

BoundedMemory::BoundedMemory(std::size_t largest) { largest_allocation = largest; }
BoundedMemory::~BoundedMemory() { largest_allocation = std::numeric_limits<std::size_t>::max(); }

}  // namespace norn::fuzz
