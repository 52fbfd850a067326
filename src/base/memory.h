// Hints about memory, for tables and documents of many megabytes: where processor or kernel do not know them, nothing
// changes.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace norn::base {

// Sends for memory that will be read soon.
inline void fetch(const void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t kLine = 64;
  const auto* at = static_cast<const char*>(memory);
  for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(at + i);
  if (bytes > 0) __builtin_prefetch(at + bytes - 1);
}

// Whether the memory is there already, by a few samples, as what was used and freed before mostly is.
inline bool is_resident(const void* memory, std::size_t bytes) noexcept {
  constexpr std::uintptr_t kPage = 4096;
  if (bytes == 0) return true;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  for (const std::size_t at : {std::size_t{0}, bytes / 4, bytes / 2, bytes - 1}) {
    unsigned char there = 0;
    if (::mincore(reinterpret_cast<void*>((begin + at) & ~(kPage - 1)), 1, &there) != 0 || !(there & 1)) return false;
  }
  return true;
}

// Gives the whole pages of this size within the memory an advice.
inline void advise_pages(void* memory, std::size_t bytes, std::uintptr_t page, int advice) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t from = (begin + page - 1) & ~(page - 1), to = (begin + bytes) & ~(page - 1);
  if (from < to) ::madvise(reinterpret_cast<void*>(from), to - from, advice);
}

// Large pages where whole ones lie within the memory, so that nothing beside it grows.
inline void prefer_large_pages(void* memory, std::size_t bytes) noexcept {
  advise_pages(memory, bytes, std::uintptr_t{2} << 20, MADV_HUGEPAGE);
}

// Of a mapped file's memory that will be read once, from beginning to end: its pages are mapped in one go.
inline void prepare_to_read(const void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t kWorthwhile = std::size_t{256} << 10;
  constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ, of Linux 5.14
  if (bytes >= kWorthwhile) advise_pages(const_cast<void*>(memory), bytes, 4096, kPopulateRead);
}

// Of memory not written to yet, all of which will be: a page fault for every 4 KiB would cost as much as filling it.
// What large pages leave is mapped in one go.
inline void prepare_to_fill(void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t kWorthwhile = std::size_t{256} << 10;
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, of Linux 5.14
  if (bytes < kWorthwhile || is_resident(memory, bytes)) return;
  prefer_large_pages(memory, bytes);
  advise_pages(memory, bytes, 4096, kPopulateWrite);
}

}  // namespace norn::base
