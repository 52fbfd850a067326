// A hash for tables of short texts, names above all, that live in memory only.
//
// Texts come from files that may be hostile: both factors of each product are hidden by random words that differ from
// process to process, so that nobody can write names that fall into one slot. (With a known word, an input equal to it
// would make the product zero whatever the other.) Two 64-bit words go into one 128-bit product whose halves are
// folded, which spreads every input bit; texts of up to 16 bytes take two such steps and no loop.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
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

struct HashSeed {
  std::uint64_t first = 0, second = 0;
};
// This process's own.
const HashSeed& process_seed() noexcept;

namespace hash_detail {
inline std::uint64_t finish(std::size_t size, std::uint64_t a, std::uint64_t b, std::uint64_t state,
                            const HashSeed& seed) noexcept {
  constexpr std::uint64_t kRoot2 = 0x6a09e667f3bcc909;  // fractional bits of sqrt(2): as many ones as zeros
  return fold(kRoot2 ^ size, fold(a ^ seed.first, b ^ state));
}
}  // namespace hash_detail

// The hash with the text's ends: for up to kTextInKey bytes, size and ends are the text itself.
struct TextKey {
  std::uint64_t hash = 0;
  std::uint64_t ends[2] = {0, 0};
};
inline constexpr std::size_t kTextInKey = 16;

inline TextKey key_of(std::string_view text, const HashSeed& seed) noexcept {
  using hash_detail::fold, hash_detail::word;
  const char* p = text.data();
  std::size_t n = text.size();
  std::uint64_t state = seed.second;
  for (; n > kTextInKey; n -= 16, p += 16) {
    state = fold(word<std::uint64_t>(p) ^ seed.first, word<std::uint64_t>(p + 8) ^ state);
  }
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
  return {hash_detail::finish(text.size(), a, b, state, seed), {a, b}};
}

// Of a text of up to kTextInKey bytes, from its key: the hash under the same seed, and the text.
inline std::uint64_t hash_of_ends(std::size_t size, const std::uint64_t (&ends)[2], const HashSeed& seed) noexcept {
  return hash_detail::finish(size, ends[0], ends[1], seed.second, seed);
}
inline std::string text_of_ends(std::size_t size, const std::uint64_t (&ends)[2]) {
  std::string text(size, '\0');
  if (size >= 8) {
    std::memcpy(text.data(), &ends[0], 8);
    std::memcpy(text.data() + size - 8, &ends[1], 8);
  } else if (size >= 4) {
    std::memcpy(text.data(), &ends[0], 4);
    std::memcpy(text.data() + size - 4, &ends[1], 4);
  } else if (size > 0) {
    text[0] = static_cast<char>(ends[0] >> 16);
    text[size / 2] = static_cast<char>(ends[0] >> 8);
    text[size - 1] = static_cast<char>(ends[0]);
  }
  return text;
}

}  // namespace norn::base
