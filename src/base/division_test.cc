#include "base/division.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace norn::base {
inline namespace division_test_cc {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                       kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kWord = std::int64_t{1} << 32;

// Numbers around those at which one kind of division takes the place of the other.
constexpr std::int64_t kNumbers[] = {0,         1,         2,     3,  7,  kWord / 2 - 1, kWord / 2, kWord - 1, kWord,
                                     kWord + 1, kMost - 1, kMost, -1, -2, -kWord,        kLeast + 1};

TEST(Division, GivesTheLanguagesQuotientsAndRests) {
  for (const std::int64_t a : kNumbers)
    for (const std::int64_t b : kNumbers) {
      if (b == 0) continue;
      EXPECT_EQ(quotient(a, b), a / b) << a << " by " << b;
      EXPECT_EQ(divide(a, b).quotient, a / b) << a << " by " << b;
      EXPECT_EQ(divide(a, b).rest, a % b) << a << " by " << b;
    }
}

TEST(Division, RoundsUpTheNumberOfPieces) {
  EXPECT_EQ(quotient_up(0, 5), 0);
  EXPECT_EQ(quotient_up(1, 5), 1);
  EXPECT_EQ(quotient_up(5, 5), 1);
  EXPECT_EQ(quotient_up(6, 5), 2);
  EXPECT_EQ(quotient_up(3 * kWord + 1, kWord), 4);
}

TEST(Division, PartsFollowOnEachOtherAndDifferByOne) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto units = static_cast<std::int64_t>(random() >> (random() % 40 + 24));
    const auto parts = static_cast<std::int64_t>(random() % 100) + 1;
    std::int64_t at = 0;
    for (std::int64_t p = 0; p < parts; ++p) {
      const Part part = part_of(units, parts, p);
      ASSERT_EQ(part.begin, at) << units << " in " << parts;
      at = part.end;
      ASSERT_LE(std::abs((part.end - part.begin) * parts - units), parts) << units << " in " << parts;
    }
    ASSERT_EQ(at, units) << parts;
  }
}

}  // namespace
}  // namespace division_test_cc
}  // namespace norn::base
