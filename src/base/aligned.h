// Memory of tensors, packed constants and arenas: 64 bytes suit every vector width.
//
// Trap: glibc's memalign() asks for more than it returns, so a block that was freed is too small for the next one of
// the same size, and a process that frees and allocates large blocks in turn grows by each of them. A block that is
// aligned within what malloc() gave is found again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

namespace norn::base {

inline constexpr std::size_t kAlignment = 64;

// A valid pointer for 0 bytes as well. Throws std::bad_alloc.
inline void* aligned_new(std::size_t bytes) {
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(void*));
  if (bytes > std::numeric_limits<std::size_t>::max() - kAlignment) throw std::bad_alloc();
  const auto given = reinterpret_cast<std::uintptr_t>(::operator new(bytes + kAlignment));
  const auto at = (given + kAlignment) & ~(kAlignment - 1);
  std::memcpy(reinterpret_cast<char*>(at) - sizeof given, &given, sizeof given);
  return reinterpret_cast<void*>(at);
}
inline void aligned_delete(void* memory) noexcept {
  std::uintptr_t given = 0;
  std::memcpy(&given, static_cast<const char*>(memory) - sizeof given, sizeof given);
  ::operator delete(reinterpret_cast<void*>(given));
}

}  // namespace norn::base
