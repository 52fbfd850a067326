// Hints: whatever they are asked, contents stay, and memory in use is distinguished from memory that is not.
#include "base/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace norn::base {
namespace {

constexpr std::size_t kPage = 4096;

class FreshMemory : public testing::Test {
 protected:
  static constexpr std::size_t kSize = std::size_t{8} << 20;
  void SetUp() override {
    memory_ = static_cast<char*>(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(static_cast<void*>(memory_), MAP_FAILED);
    ::madvise(memory_, kSize, MADV_NOHUGEPAGE);  // where the system gives large pages unasked
  }
  void TearDown() override { ::munmap(memory_, kSize); }
  char* memory_ = nullptr;
};

TEST_F(FreshMemory, IsThereOnceItIsPrepared) {
  EXPECT_TRUE(is_resident(memory_, 0));
  EXPECT_FALSE(is_resident(memory_, kSize));
  prepare_to_fill(memory_, kPage);  // too little to be worth it
  EXPECT_FALSE(is_resident(memory_, kPage));
  std::memset(memory_ + 100, 'x', 3 * kPage);
  EXPECT_TRUE(is_resident(memory_ + 100, 3 * kPage));
  EXPECT_FALSE(is_resident(memory_, kSize));
  prepare_to_fill(memory_ + 100, kSize - 200);
  for (std::size_t i = 0; i < 3 * kPage; ++i) ASSERT_EQ(memory_[100 + i], 'x');
  for (std::size_t i = 3 * kPage + 100; i < kSize; ++i) ASSERT_EQ(memory_[i], 0);
  constexpr int kPopulateWrite = 23;
  if (::madvise(memory_, kPage, kPopulateWrite) != 0) GTEST_SKIP() << "this kernel does not populate memory";
  EXPECT_TRUE(is_resident(memory_, kSize));
}

TEST_F(FreshMemory, NothingBesideIsTouched) {
  char* const odd = memory_ + kPage + 1;
  prepare_to_fill(odd, std::size_t{1} << 20);
  EXPECT_FALSE(is_resident(memory_, kPage));
  EXPECT_FALSE(is_resident(memory_ + (std::size_t{1} << 20) + 3 * kPage, kPage));
}

TEST(Fetch, TakesAnyRange) {
  const std::vector<char> bytes(1000);
  for (std::size_t size : {0, 1, 63, 64, 65, 1000}) fetch(bytes.data(), size);
  fetch(nullptr, 0);
}

}  // namespace
}  // namespace norn::base
