// What tables rely on: equal texts have equal keys, different ones rarely equal hashes, even if they were chosen for
// it.
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace norn::base {
namespace {

TEST(Hash, ShortTextsAreTheirEnds) {
  char buffer[kTextInKey];
  std::string text;
  for (std::size_t size = 0; size <= kTextInKey; ++size, text += static_cast<char>('a' + size)) {
    const TextKey key = key_of(text, process_secret());
    EXPECT_EQ(text_of_ends(size, key.ends, buffer), text);
    EXPECT_EQ(key.hash, hash_of(text, process_secret()));
  }
}

TEST(Hash, DependsOnTheSecret) {
  const HashSecret same = process_secret();
  HashSecret changed = same;
  for (unsigned char& byte : changed.bytes) byte = static_cast<unsigned char>(byte * 5 + 1);
  for (const std::size_t size : {1u, 3u, 5u, 8u, 12u, 16u, 20u, 100u, 200u, 1000u}) {
    const std::string text(size, 'x');
    EXPECT_EQ(hash_of(text, same), hash_of(text, process_secret())) << size;
    EXPECT_NE(hash_of(text, changed), hash_of(text, process_secret())) << size;
  }
  EXPECT_EQ(&process_secret(), &process_secret());
}

// Blocks that an attacker may choose so that factors vanish: all zeros and ones, and constants known from the source.
TEST(Hash, NoBlockErasesTheRest) {
  for (const std::uint64_t block : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x9e3779b97f4a7c15},
                                    std::uint64_t{0x6a09e667f3bcc909}, std::uint64_t{0xbb67ae8584caa73b}}) {
    const std::string prefix(reinterpret_cast<const char*>(&block), sizeof block);
    for (const char* between : {"", "12345678", "1234567812345678"}) {
      std::set<std::uint64_t> hashes;
      for (int i = 0; i < 5000; ++i) hashes.insert(key_of(prefix + between + std::to_string(i), process_secret()).hash);
      EXPECT_EQ(hashes.size(), 5000u) << block << " " << between;
    }
  }
}

}  // namespace
}  // namespace norn::base
