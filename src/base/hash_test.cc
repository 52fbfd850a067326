// What tables rely on: equal texts have equal keys, different ones rarely equal hashes, whoever chose them.
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace norn::base {
namespace {

TEST(Hash, ShortTextsAreTheirEnds) {
  const HashSeed seed{12345, 67890};
  std::string text;
  for (std::size_t size = 0; size <= kTextInKey; ++size, text += static_cast<char>('a' + size)) {
    const TextKey key = key_of(text, seed);
    EXPECT_EQ(text_of_ends(size, key.ends), text);
    EXPECT_EQ(hash_of_ends(size, key.ends, seed), key.hash);
  }
}

TEST(Hash, SeedsDiffer) {
  EXPECT_NE(process_seed().first, 0u);
  EXPECT_NE(process_seed().first, process_seed().second);
  EXPECT_EQ(&process_seed(), &process_seed());
  EXPECT_NE(key_of("name", {1, 2}).hash, key_of("name", {1, 3}).hash);
  EXPECT_NE(key_of("name", {1, 2}).hash, key_of("name", {2, 2}).hash);
}

// Blocks that an attacker may choose so that factors vanish: all zeros and ones, and constants known from the source.
TEST(Hash, NoBlockErasesTheRest) {
  for (const std::uint64_t block : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x9e3779b97f4a7c15},
                                    std::uint64_t{0x6a09e667f3bcc909}, std::uint64_t{0xbb67ae8584caa73b}}) {
    const std::string prefix(reinterpret_cast<const char*>(&block), sizeof block);
    for (const char* between : {"", "12345678", "1234567812345678"}) {
      std::set<std::uint64_t> hashes;
      for (int i = 0; i < 5000; ++i) hashes.insert(key_of(prefix + between + std::to_string(i), process_seed()).hash);
      EXPECT_EQ(hashes.size(), 5000u) << block << " " << between;
    }
  }
}

}  // namespace
}  // namespace norn::base
