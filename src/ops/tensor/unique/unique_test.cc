// Unique: numbers of ONNX's examples and of numpy.unique.
#include <algorithm>
#include <map>
#include <random>

#include "ops/common/case.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"
#include "ops/tensor/unique/unique.h"

namespace norn::ops::cases {
inline namespace unique_test_cc {
namespace {

using transform::make_attr;

// All four outputs, in both orders, are those that an ordered map gives, whose first keys stay.
template <class T>
void expect_unique(const std::vector<T>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  std::map<T, std::vector<std::int64_t>> places;
  for (std::int64_t at = 0; at < n; ++at) places[values[static_cast<std::size_t>(at)]].push_back(at);
  std::vector<std::pair<T, std::vector<std::int64_t>>> groups(places.begin(), places.end());
  for (const std::int64_t sorted : {1, 0}) {
    if (!sorted) std::ranges::sort(groups, {}, [](const auto& group) { return group.second[0]; });
    std::vector<T> kept;
    std::vector<std::int64_t> first, inverse(values.size()), counts;
    for (const auto& [value, at] : groups) {
      for (const std::int64_t place : at) inverse[static_cast<std::size_t>(place)] = std::ssize(kept);
      kept.push_back(value);
      first.push_back(at[0]);
      counts.push_back(std::ssize(at));
    }
    const auto given = test::run(Unique, 11, {make_attr("sorted", sorted)}, {test::tensor<T>({n}, values)}, 4);
    EXPECT_EQ(ops::load_all<T>(given[0].tensor()), kept) << sorted;
    EXPECT_EQ(ops::load_all<std::int64_t>(given[1].tensor()), first) << sorted;
    EXPECT_EQ(ops::load_all<std::int64_t>(given[2].tensor()), inverse) << sorted;
    EXPECT_EQ(ops::load_all<std::int64_t>(given[3].tensor()), counts) << sorted;
  }
}

TEST(Unique, NumbersNearAndFarApart) {
  std::mt19937 random(1);
  for (const std::size_t n : {1u, 7u, 8u, 255u, 257u, 3001u}) {
    for (const double step : {1.0, 0.5, 1e5, 1e300}) {  // counted, or sorted
      for (const double least : {-20.0, 0.25, 0x1p53, 1e18}) {
        std::vector<double> values(n);
        for (double& x : values) x = least + step * static_cast<double>(random() % 40);
        expect_unique(values);
      }
    }
    for (const std::int64_t step : {std::int64_t{1}, std::int64_t{1} << 40}) {
      std::vector<std::int64_t> values(n);
      for (std::int64_t& x : values) x = (static_cast<std::int64_t>(random() % 200) - 100) * step;
      expect_unique(values);
    }
  }
}

TEST(Unique, StringsThatDifferLate) {
  using namespace std::string_literals;
  std::mt19937 random(2);
  for (const std::string& prefix : {""s, "x"s, "a prefix of all"s}) {
    for (const std::size_t length : {1u, 2u, 7u, 8u, 9u, 20u}) {
      std::vector<std::string> values;
      const std::string letters = "a\0\xff\x80z"s;
      for (int k = 0; k < 700; ++k) {
        std::string value = prefix + std::string(random() % length, 'k');
        for (auto more = random() % 3; more > 0; --more) value += letters[random() % letters.size()];
        values.push_back(value);
      }
      expect_unique(values);
    }
  }
  expect_unique<std::string>({"same", "same"});
  expect_unique<std::string>({"ab", "a", "abc", "a\0"s, ""});
}

const Cases cases(
    "Unique",
    {
        {"Unique",
         "T[6] 2 1 1 3 4 3",
         "T[4] 1 2 3 4; int64[4] 1 0 3 4; int64[6] 1 0 0 2 3 2; int64[4] 2 1 2 1",
         {.types = "!bool", .late = true}},
        {"Unique sorted=0",
         "T[6] 2 1 1 3 4 3",
         "T[4] 2 1 3 4; int64[4] 0 1 3 4; int64[6] 0 1 1 2 3 2; int64[4] 1 2 2 1",
         {.types = "!bool", .late = true}},
        {"Unique", "bool[4] 1 0 1 1", "bool[2] 0 1; int64[2] 1 0; int64[4] 1 0 1 1; int64[2] 1 3", {.late = true}},
        {"Unique sorted=0", "string[5] b a \"\" b ab", "string[4] b a \"\" ab; int64[4] 0 1 2 4", {.late = true}},
        {"Unique", "string[5] b a \"\" b ab", "string[4] \"\" a ab b; int64[4] 2 1 4 0", {.late = true}},
        {"Unique",
         "complex64[4] 1,2 1,1 0,5 1,2",
         "complex64[3] 0,5 1,1 1,2; int64[3] 2 1 0; int64[4] 2 1 0 2",
         {.late = true}},
        {"Unique",
         "float[6] nan 1 nan -0 0 -inf",
         "float[4] -inf -0 1 nan; int64[4] 5 3 1 0; int64[6] 3 2 3 1 1 0",
         {.tolerance = 0, .late = true}},
        {"Unique",
         "float[5] 2 -0 1 0 2",
         "float[3] -0 1 2; int64[3] 1 2 0; int64[5] 2 0 1 0 2; int64[3] 2 1 2",
         {.tolerance = 0, .late = true}},
        {"Unique",
         "double[4] 2 1e300 2 1.5",
         "double[3] 1.5 2 1e300; int64[3] 3 0 1; int64[4] 1 2 1 0; int64[3] 1 2 1",
         {.tolerance = 0, .late = true}},
        {"Unique", "uint64[3] max 0 9223372036854775808", "uint64[3] 0 9223372036854775808 max", {.late = true}},
        {"Unique", "int64[3] max 0 min", "int64[3] min 0 max", {.late = true}},
        {"Unique axis={0|-2}",
         "float[3,3] 1 0 0 1 0 0 2 3 4",
         "float[2,3] 1 0 0 2 3 4; int64[2] 0 2; int64[3] 0 0 1; int64[2] 2 1",
         {.late = true}},
        {"Unique axis=1",
         "float[2,4,2] 1 1 0 1 2 1 0 1 1 1 0 1 2 1 0 1",
         "float[2,3,2] 0 1 1 1 2 1 0 1 1 1 2 1; int64[3] 1 0 2; int64[4] 1 0 2 0; int64[3] 2 1 1",
         {.late = true}},
        {"Unique axis=1 sorted=0",
         "float[2,4,2] 1 1 0 1 2 1 0 1 1 1 0 1 2 1 0 1",
         "float[2,3,2] 1 1 0 1 2 1 1 1 0 1 2 1; int64[3] 0 1 2; int64[4] 0 1 2 1; int64[3] 1 2 1",
         {.late = true}},
        {"Unique",
         "int32[2,2] 1 3 2 3",
         "int32[3] 1 2 3; int64[3] 0 2 1; int64[4] 0 2 1 2; int64[3] 1 1 2",
         {.late = true}},
        {"Unique sorted={-1|2}", "float[2] 7 6", "", {.error = "has to be 0 or 1"}},
        {"Unique sorted={0|1}", "float[] 7", "float[1] 7; int64[1] 0; int64[1] 0; int64[1] 1", {.late = true}},
        {"Unique sorted={0|1}", "float[2,0]", "float[0]; int64[0]; int64[0]; int64[0]", {.late = true}},
        {"Unique axis=0", "float[0,2]", "float[0,2]; int64[0]; int64[0]; int64[0]", {.late = true}},
        {"Unique axis=1",
         "float[1099511627776,3,0]",
         "float[1099511627776,1,0]; int64[1] 0; int64[3] 0 0 0",
         {.late = true}},
        // Slices without elements are equal.
        {"Unique axis=0", "float[3,0]", "float[1,0]; int64[1] 0; int64[3] 0 0 0; int64[1] 3", {.late = true}},
        {"Unique", "int32[2,2] 1 3 2 3", "int32[3] 1 2 3; -; -; int64[3] 1 1 2", {.late = true}},
        {"Unique axis={2|-3|max|min}", "float[2,2] iota", "", {.error = "axis"}},
        {"Unique axis=0", "float[] 1", "", {.error = "axis"}},
        {"Unique", "float[N,3]", "float[?]; int64[?]; int64[3*N]; int64[?]"},
        {"Unique axis=0", "float[N,3]", "float[?,3]; int64[?]; int64[N]; int64[?]"},
        {"Unique axis=0", "float", "float; int64[?]; int64[?]; int64[?]"},
    });

}  // namespace
}  // namespace unique_test_cc
}  // namespace norn::ops::cases
