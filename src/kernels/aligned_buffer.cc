// Memory for packed constants and arenas.
#include <limits>
#include <new>

#include "base/memory.h"
#include "kernels/kernel.h"

namespace norn::kernels {

std::shared_ptr<void> aligned_buffer(std::size_t bytes) {
  constexpr std::align_val_t kAlignment{64};
  if (bytes > std::numeric_limits<std::size_t>::max() - 127) throw std::bad_alloc();
  void* p = ::operator new((bytes + 127) / 64 * 64, kAlignment);
  constexpr std::size_t kWorthLargePages = std::size_t{4} << 20;
  if (bytes >= kWorthLargePages) base::prefer_large_pages(p, bytes);
  return {p, [](void* memory) { ::operator delete(memory, kAlignment); }};
}

}  // namespace norn::kernels
