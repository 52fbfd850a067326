// Sorting and selecting by digits: no branch depends on the elements. Internal to the kernels.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace norn::kernels {

// Sorts `keys` by their upper 32 bits, ascending; equal ones stay in order. `other` has room for as many; what is
// sorted lies in the one that is returned.
template <int bits>
std::uint64_t* sort_by_digits(std::uint64_t* keys, std::size_t n, std::uint64_t* other) {
  constexpr int kPasses = (32 + bits - 1) / bits;
  constexpr std::size_t kBuckets = std::size_t{1} << bits;
  const auto digit = [](std::uint64_t key, int pass) { return (key >> (32 + pass * bits)) % kBuckets; };
  std::array<std::array<std::uint32_t, kBuckets>, kPasses> counts;
  for (auto& c : counts) c.fill(0);
  for (std::size_t i = 0; i < n; ++i)
    for (int p = 0; p < kPasses; ++p) ++counts[static_cast<std::size_t>(p)][digit(keys[i], p)];
  for (int p = 0; p < kPasses && n > 0; ++p) {
    auto& at = counts[static_cast<std::size_t>(p)];
    if (at[digit(keys[0], p)] == n) continue;  // all are equal
    std::uint32_t begin = 0;
    for (std::uint32_t& count : at) begin += std::exchange(count, begin);
    for (std::size_t i = 0; i < n; ++i) other[at[digit(keys[i], p)]++] = keys[i];
    std::swap(keys, other);
  }
  return keys;
}
// The same by digits that suit so many, at most 2^32 - 1.
inline std::uint64_t* sort_by_upper_half(std::uint64_t* keys, std::size_t n, std::uint64_t* other) {
  constexpr std::size_t kFew = 1500;  // beside which the many buckets of longer digits cost more than a pass
  return n < kFew ? sort_by_digits<8>(keys, n, other) : sort_by_digits<11>(keys, n, other);
}

// The k-th greatest, k >= 1, of n keys, which are overwritten.
inline std::int32_t kth_greatest(std::int32_t* keys, std::size_t n, std::size_t k) {
  std::uint32_t found = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto digit = [shift](std::int32_t key) {
      return ((static_cast<std::uint32_t>(key) ^ 0x80000000u) >> shift) & 255;
    };
    std::array<std::uint32_t, 256> counts[2] = {{}, {}};  // neighbours are often equal
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      ++counts[0][digit(keys[i])];
      ++counts[1][digit(keys[i + 1])];
    }
    if (n % 2 == 1) ++counts[0][digit(keys[n - 1])];
    std::uint32_t bucket = 255;
    for (std::size_t here; (here = counts[0][bucket] + counts[1][bucket]) < k; --bucket) k -= here;
    found |= bucket << shift;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t key = keys[i];
      keys[kept] = key;
      kept += digit(key) == bucket;
    }
    n = kept;
  }
  return static_cast<std::int32_t>(found ^ 0x80000000u);
}

}  // namespace norn::kernels
