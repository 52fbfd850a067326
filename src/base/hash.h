// A hash for tables of short texts, names above all, that live in memory only: XXH3 under a secret.
//
// Texts come from files that may be hostile. The secret differs from process to process, so that no file can be made
// whose names fall into one slot.
#pragma once
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace norn::base {

struct HashSecret {
  alignas(64) unsigned char bytes[XXH3_SECRET_SIZE_MIN];
};
// This process's own.
const HashSecret& process_secret() noexcept;

inline std::uint64_t hash_of(std::string_view text, const HashSecret& secret) noexcept {
  return XXH3_64bits_withSecret(text.data(), text.size(), secret.bytes, sizeof secret.bytes);
}

// The hash with the text's ends: for up to kTextInKey bytes, size and ends are the text itself.
struct TextKey {
  std::uint64_t hash = 0;
  std::uint64_t ends[2] = {0, 0};
};
inline constexpr std::size_t kTextInKey = 16;

inline TextKey key_of(std::string_view text, const HashSecret& secret) noexcept {
  TextKey key{hash_of(text, secret)};
  const auto word = [&](std::size_t at, auto value) -> std::uint64_t {
    std::memcpy(&value, text.data() + at, sizeof value);
    return value;
  };
  const std::size_t n = text.size();
  if (n >= 8) {
    key.ends[0] = word(0, std::uint64_t{});
    key.ends[1] = word(n - 8, std::uint64_t{});
  } else if (n >= 4) {
    key.ends[0] = word(0, std::uint32_t{});
    key.ends[1] = word(n - 4, std::uint32_t{});
  } else if (n > 0) {
    key.ends[0] = word(0, std::uint8_t{}) << 16 | word(n / 2, std::uint8_t{}) << 8 | word(n - 1, std::uint8_t{});
  }
  return key;
}

// A text of up to kTextInKey bytes, from its key's ends.
inline std::string_view text_of_ends(std::size_t size, const std::uint64_t (&ends)[2],
                                     char (&text)[kTextInKey]) noexcept {
  if (size >= 8) {
    std::memcpy(text, &ends[0], 8);
    std::memcpy(text + size - 8, &ends[1], 8);
  } else if (size >= 4) {
    std::memcpy(text, &ends[0], 4);
    std::memcpy(text + size - 4, &ends[1], 4);
  } else if (size > 0) {
    text[0] = static_cast<char>(ends[0] >> 16);
    text[size / 2] = static_cast<char>(ends[0] >> 8);
    text[size - 1] = static_cast<char>(ends[0]);
  }
  return {text, size};
}

}  // namespace norn::base
