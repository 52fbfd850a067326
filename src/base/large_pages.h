// Prepares memory that is about to be filled, many megabytes at once: a page fault for every 4 KiB would cost as much as
// filling them. Hints only: where the kernel does not know them, nothing changes.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace norn::base {

// Of memory not written to yet, all of which will be. Large pages where whole ones lie within it, so that nothing beside
// it grows; the rest is mapped in one go.
inline void prepare_to_fill(void* memory, std::size_t bytes) noexcept {
  constexpr std::uintptr_t kPage = 4096, kLarge = std::uintptr_t{2} << 20;
  constexpr std::size_t kWorthwhile = std::size_t{256} << 10;
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, of Linux 5.14
  if (bytes < kWorthwhile) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto advise = [&](std::uintptr_t page, int advice) {
    const std::uintptr_t from = (begin + page - 1) & ~(page - 1), to = (begin + bytes) & ~(page - 1);
    if (from < to) ::madvise(reinterpret_cast<void*>(from), to - from, advice);
  };
  advise(kLarge, MADV_HUGEPAGE);
  advise(kPage, kPopulateWrite);
}

}  // namespace norn::base
