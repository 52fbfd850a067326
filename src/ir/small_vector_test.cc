// Held against std::vector through random changes; the elements count themselves.
#include "ir/small_vector.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace norn::ir {
namespace {

using Words = SmallVector<std::string, 2>;

// Long enough to have memory of its own.
std::string word(int i) { return "a word too long for its object " + std::to_string(i); }

std::size_t size_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

TEST(SmallVector, DoesWhatAVectorDoes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Words small;
    std::vector<std::string> plain;
    for (int step = 0; step < 40; ++step) {
      const std::string w = word(step);
      const std::ptrdiff_t at = plain.empty() ? 0 : static_cast<std::ptrdiff_t>(random() % plain.size());
      switch (random() % 14) {
        case 0:
        case 1: small.push_back(w), plain.push_back(w); break;
        case 2: small.emplace_back(3, 'x'), plain.emplace_back(3, 'x'); break;
        case 3: small.insert(small.begin() + at, w), plain.insert(plain.begin() + at, w); break;
        case 4:
          if (!plain.empty()) small.erase(small.begin() + at), plain.erase(plain.begin() + at);
          break;
        case 5:
          if (!plain.empty()) small.pop_back(), plain.pop_back();
          break;
        case 6: small.resize(size_of(at)), plain.resize(size_of(at)); break;
        case 7:
          if (!plain.empty()) small.push_back(small[size_of(at)]), plain.push_back(plain[size_of(at)]);
          break;
        case 8: small.reserve(size_of(at) * 2), plain.reserve(size_of(at) * 2); break;
        case 9: {
          const std::vector<std::string> more(random() % 3, w);
          small.insert(small.begin() + at, more.begin(), more.end());
          plain.insert(plain.begin() + at, more.begin(), more.end());
          break;
        }
        case 10: small.resize(size_of(at) + 2, w), plain.resize(size_of(at) + 2, w); break;
        case 11:
          if (!plain.empty()) small.assign(3, small[size_of(at)]), plain.assign(3, plain[size_of(at)]);
          break;
        case 12: {
          const std::vector<std::string> other(plain.rbegin(), plain.rend());
          small.assign(other.begin(), other.end()), plain = other;
          break;
        }
        case 13: {
          const auto odd = [&](const std::string& s) {
            return (s.size() + static_cast<unsigned char>(s.back())) % 3 == 0;
          };
          EXPECT_EQ(erase_if(small, odd), std::erase_if(plain, odd));
          break;
        }
      }
      ASSERT_EQ(small, plain);
      ASSERT_LE(small.size(), small.capacity());
    }
    Words copy = small;
    EXPECT_EQ(copy, small);
    Words moved = std::move(small);
    EXPECT_EQ(moved, copy);
    EXPECT_TRUE(small.empty());
    small.push_back("again");
    EXPECT_EQ(small, std::vector<std::string>{"again"});
    small = copy;
    EXPECT_EQ(small, plain);
    copy = std::move(moved);
    EXPECT_EQ(copy, plain);
    copy = Words{"a", "b", "c"};
    EXPECT_EQ(copy, (std::vector<std::string>{"a", "b", "c"}));
    copy = {word(1)};
    EXPECT_EQ(copy, std::vector<std::string>{word(1)});
    copy = Words(plain);
    EXPECT_EQ(copy, plain);
    EXPECT_EQ(Words(plain.begin(), plain.end()), plain);
    EXPECT_EQ(Words(4, word(2)), std::vector<std::string>(4, word(2)));
  }
}

TEST(SmallVector, ElementsLieInTheObjectWhileTheyFit) {
  Words words;
  const auto inside = [&] {
    const auto* at = reinterpret_cast<const char*>(words.data());
    return at >= reinterpret_cast<const char*>(&words) && at < reinterpret_cast<const char*>(&words + 1);
  };
  words = {"a", "b"};
  EXPECT_TRUE(inside());
  words.push_back("c");
  EXPECT_FALSE(inside());
  words = {};
  EXPECT_TRUE(inside());
  EXPECT_THROW(words.at(0), std::out_of_range);
}

struct Failing {
  static inline int alive = 0, copies_left = 0;
  Failing() { ++alive; }
  Failing(const Failing&) {
    if (copies_left-- == 0) throw std::runtime_error("no more copies");
    ++alive;
  }
  Failing(Failing&&) noexcept { ++alive; }
  ~Failing() { --alive; }
};

TEST(SmallVector, AFailedCopyLeavesNothingBehind) {
  for (const int elements : {1, 2, 5}) {
    SmallVector<Failing, 2> original;
    for (int i = 0; i < elements; ++i) original.emplace_back();
    const int alive = Failing::alive;
    Failing::copies_left = elements - 1;
    EXPECT_THROW((SmallVector<Failing, 2>(original)), std::runtime_error);
    EXPECT_EQ(Failing::alive, alive);
  }
  EXPECT_EQ(Failing::alive, 0);
}

}  // namespace
}  // namespace norn::ir
