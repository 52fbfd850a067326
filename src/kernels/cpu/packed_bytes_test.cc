// Memory for packed constants begins with other bytes each time, so that test::Constants finds those that are not set:
// they would be what lay in the process's memory, in a file that others read. Takes the place of the global operator.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels/form_bytes.h"
#include "kernels/kernel.h"

namespace {

std::atomic<unsigned char> g_before{0x11};
constexpr std::size_t kMostFilled = std::size_t{16} << 20;  // more than tests pack

}  // namespace

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory != nullptr)
    std::memset(memory, g_before.fetch_add(0x35, std::memory_order_relaxed), std::min(bytes, kMostFilled));
  return memory;
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace norn::kernels {
namespace {

TEST(PackedBytes, MemoryBeginsWithOtherBytes) {
  const auto a = aligned_buffer(100), b = aligned_buffer(100);
  ASSERT_EQ(form_bytes(a), 100U);
  EXPECT_NE(std::memcmp(a.get(), b.get(), 100), 0);
}

}  // namespace
}  // namespace norn::kernels
