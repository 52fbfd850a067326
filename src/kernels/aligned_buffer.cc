// Memory for packed constants and arenas.
#include <cstdlib>
#include <new>

#include "kernels/kernel.h"

namespace norn::kernels {

std::shared_ptr<void> aligned_buffer(std::size_t bytes) {
  void* p = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (p == nullptr) throw std::bad_alloc();
  return {p, std::free};
}

}  // namespace norn::kernels
