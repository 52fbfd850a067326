// Memory for packed constants and arenas.
#include <limits>
#include <new>

#include "base/aligned.h"
#include "base/memory.h"
#include "kernels/form_bytes.h"
#include "kernels/kernel.h"

namespace norn::kernels {
inline namespace aligned_buffer_cc {
namespace {

struct Free {
  const void* begin;
  std::size_t bytes;
  void operator()(void* memory) const { base::aligned_delete(memory); }
};

}  // namespace
}  // namespace aligned_buffer_cc

std::shared_ptr<void> aligned_buffer(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - 127) throw std::bad_alloc();
  void* p = base::aligned_new((bytes + 127) / 64 * 64);
  constexpr std::size_t kWorthLargePages = std::size_t{4} << 20;
  if (bytes >= kWorthLargePages) base::prefer_large_pages(p, bytes);
  return {p, Free{p, bytes}};
}

std::size_t form_bytes(const std::shared_ptr<const void>& form) {
  const Free* const of_buffer = std::get_deleter<Free>(form);
  return of_buffer != nullptr && of_buffer->begin == form.get() ? of_buffer->bytes : 0;
}

}  // namespace norn::kernels
