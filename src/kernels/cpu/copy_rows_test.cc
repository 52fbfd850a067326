// Copies and repetitions of all lengths at which another way is taken, copies at all distances within a page: not a
// byte more, not one less.
#include "kernels/cpu/copy_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace norn::kernels {
namespace {

TEST(CopyBytes, CopiesWhatItIsAskedForWhereverTheTargetLies) {
  constexpr std::int64_t kPage = 4096, kMost = 9000, kEdge = 64;
  std::vector<char> from(kMost + 2 * kPage), to(kMost + 4 * kPage);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 37 + i / 251);
  const auto in_page = reinterpret_cast<std::intptr_t>(to.data()) - reinterpret_cast<std::intptr_t>(from.data());
  // Where the target has the source's place within its page.
  char* const level = to.data() + kPage + ((-in_page) % kPage + kPage) % kPage;
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n < 140; ++n) lengths.push_back(n);
  for (const std::int64_t n : {2047, 2048, 2049, 2111, 2303, 2304, 4095, 4096, 4097, 8999}) lengths.push_back(n);
  using Copy = void (*)(char*, const char*, std::int64_t);
  for (const Copy copy : {Copy{copy_bytes}, Copy{copy_in_vectors}})
    for (const std::int64_t n : lengths)
      for (const std::int64_t behind : {-1, 0, 1, 2, 8, 15, 16, 17, 30, 31, 32, 33, 64}) {
        if (copy == Copy{copy_in_vectors} && n < 64) continue;
        for (const std::int64_t start : {0, 5}) {
          char* const target = level + start + behind;
          std::fill(to.begin(), to.end(), '\x5a');
          copy(target, from.data() + start, n);
          ASSERT_TRUE(std::equal(target, target + n, from.data() + start)) << n << " bytes, " << behind << " behind";
          for (std::int64_t i = 1; i <= kEdge; ++i) {
            ASSERT_EQ(target[-i], '\x5a') << n << " bytes, " << behind << " behind: " << i << " before";
            ASSERT_EQ(target[n + i - 1], '\x5a') << n << " bytes, " << behind << " behind: " << i << " after";
          }
        }
      }
}

// Rows of each length write what is after them over with the next row, and nothing behind the last.
template <class T>
void expect_spread(std::int64_t columns, std::int64_t rows, std::int64_t step) {
  constexpr std::size_t kEdge = 64;
  const T guard = static_cast<T>(0x5a5a5a5a5a5a5a5a);
  std::vector<T> from(static_cast<std::size_t>(rows * step) + 1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i * 97 + 3);
  std::vector<T> to(static_cast<std::size_t>(columns * rows) + 2 * kEdge, guard);
  spread_rows(from.data(), step, to.data() + kEdge, sizeof(T), columns, rows);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(kEdge);
    const bool inside = at >= 0 && at < columns * rows;
    const T expected = inside ? from[static_cast<std::size_t>(at / columns * step)] : guard;
    ASSERT_EQ(to[i], expected) << columns << " columns, " << rows << " rows of " << sizeof(T) << " bytes: " << at;
  }
}
TEST(SpreadRows, RepeatsEachElementInItsRowAndNowhereElse) {
  for (const std::int64_t columns : {1, 2, 5, 7, 8, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129})
    for (const std::int64_t rows : {0, 1, 2, 3, 5, 9, 70})
      for (const std::int64_t step : {0, 1, 3}) {
        expect_spread<std::uint8_t>(columns, rows, step);
        expect_spread<std::uint16_t>(columns, rows, step);
        expect_spread<std::uint32_t>(columns, rows, step);
        expect_spread<std::uint64_t>(columns, rows, step);
      }
}

TEST(RepeatFirst, WritesWholeAndPartialRunsUpToTheEnd) {
  constexpr std::int64_t kEdge = 64;
  for (const std::int64_t run : {1, 2, 3, 4, 5, 12, 16, 28, 31, 32, 33, 56, 63, 64, 65, 96, 128, 200, 256, 257, 700})
    for (const std::int64_t more : {0, 1, 3, 15, 16, 17, 63, 64, 65, 127, 300, 1000, 20000}) {
      const std::int64_t all = run + more;
      std::vector<char> to(static_cast<std::size_t>(all + 2 * kEdge), '\x5a');
      char* const out = to.data() + kEdge;
      for (std::int64_t i = 0; i < run; ++i) out[i] = static_cast<char>(i * 29 + 1);
      repeat_first(out, run, all);
      for (std::int64_t i = 0; i < all; ++i)
        ASSERT_EQ(out[i], static_cast<char>(i % run * 29 + 1)) << run << " of " << all << ": " << i;
      for (std::int64_t i = 1; i <= kEdge; ++i) {
        ASSERT_EQ(out[-i], '\x5a') << run << " of " << all << ": " << i << " before";
        ASSERT_EQ(out[all + i - 1], '\x5a') << run << " of " << all << ": " << i << " after";
      }
    }
}

}  // namespace
}  // namespace norn::kernels
