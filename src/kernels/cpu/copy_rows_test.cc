// Copies of all lengths at which another way is taken, at all distances within a page: not a byte more, not one less.
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

}  // namespace
}  // namespace norn::kernels
