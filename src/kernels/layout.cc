#include <cstdlib>
#include <new>

#include "kernels/kernel.h"

namespace norn::kernels {

std::int64_t stored_elements(const Shape& dims, Layout) { return element_count(dims); }

Layout preferred_blocked_layout() { return Layout::ChannelsLast; }

std::shared_ptr<void> aligned_buffer(std::size_t bytes) {
  void* p = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (p == nullptr) throw std::bad_alloc();
  return {p, std::free};
}

}  // namespace norn::kernels
