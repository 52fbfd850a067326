// Blocks are whole, aligned, apart, and freed as they were given.
#include "base/aligned.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace norn::base {
namespace {

TEST(Aligned, BlocksOfAnySize) {
  std::mt19937 random(1);
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::size_t bytes = i < 200 ? i : random() % 5000;
    auto* const block = static_cast<unsigned char*>(aligned_new(bytes));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % kAlignment, 0U) << bytes;
    std::memset(block, static_cast<int>(i % 251), bytes);
    blocks.emplace_back(block, bytes);
  }
  std::shuffle(blocks.begin() + 1000, blocks.end(), random);
  for (std::size_t i = 1000; i < blocks.size(); ++i) aligned_delete(blocks[i].first);
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t at = 0; at < blocks[i].second; ++at) ASSERT_EQ(blocks[i].first[at], i % 251) << i;
    aligned_delete(blocks[i].first);
  }
}

TEST(Aligned, SizesThatWouldOverflow) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(aligned_new(kAll), std::bad_alloc);
  EXPECT_THROW(aligned_new(kAll - kAlignment + 1), std::bad_alloc);
}

}  // namespace
}  // namespace norn::base
