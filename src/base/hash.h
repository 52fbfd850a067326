// A hash for tables of short texts, names above all, that live in memory only.
//
// Texts come from files that may be hostile: with a seed of its own for each table, nobody can write names that fall
// into one slot. Two 64-bit words go into one 128-bit product whose halves are folded, which spreads every input bit;
// texts of up to 16 bytes take two such steps and no loop.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace norn::base {

namespace hash_detail {
__extension__ using Product = unsigned __int128;
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  const Product product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
template <class T>
std::uint64_t word(const char* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
}  // namespace hash_detail

// The hash with the text's ends: for up to 16 bytes, size and ends are the text itself.
struct TextKey {
  std::uint64_t hash = 0;
  std::uint64_t ends[2] = {0, 0};
};

inline TextKey key_of(std::string_view text, std::uint64_t seed) noexcept {
  using hash_detail::fold, hash_detail::word;
  // Odd, with about as many ones as zeros: fractional bits of the golden ratio, of sqrt(2) and of sqrt(3).
  constexpr std::uint64_t kA = 0x9e3779b97f4a7c15, kB = 0x6a09e667f3bcc909, kC = 0xbb67ae8584caa73b;
  const char* p = text.data();
  std::size_t n = text.size();
  std::uint64_t state = seed ^ kC;
  for (; n > 16; n -= 16, p += 16) state = fold(word<std::uint64_t>(p) ^ kA, word<std::uint64_t>(p + 8) ^ state);
  std::uint64_t a = 0, b = 0;
  if (n >= 8) {
    a = word<std::uint64_t>(p);
    b = word<std::uint64_t>(p + n - 8);
  } else if (n >= 4) {
    a = word<std::uint32_t>(p);
    b = word<std::uint32_t>(p + n - 4);
  } else if (n > 0) {
    a = word<std::uint8_t>(p) << 16 | word<std::uint8_t>(p + n / 2) << 8 | word<std::uint8_t>(p + n - 1);
  }
  return {fold(kB ^ text.size(), fold(a ^ kA, b ^ state)), {a, b}};
}

}  // namespace norn::base
