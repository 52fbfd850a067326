#include "ops/logical/compare/compare.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace compare_test_cc {
namespace {

std::vector<double> compared(const opset::Operator& op, const Tensor& a, const Tensor& b) {
  const Tensor c = run_and_check(op, op.history.back().since, {}, {a, b})[0].tensor();
  EXPECT_EQ(c.dtype(), DataType::Bool);
  return doubles(c);
}

TEST(Compare, EveryTypeOfTheNewestVersion) {
  for (const opset::Operator* op : {&Equal, &Greater, &Less}) {
    for (int n = 1; n < kDataTypeCount; ++n) {
      const auto type = static_cast<DataType>(n);
      if (type == DataType::String || !op->history.back().types[0].set.allows_tensor(type)) continue;
      SCOPED_TRACE(std::string(op->name) + " of " + std::string(data_type_name(type)));
      const Tensor a = random_tensor(type, {4, 1, 3}, 1), b = random_tensor(type, {2, 3}, 2);
      const auto x = doubles(a), y = doubles(b), got = compared(*op, a, b);
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          for (std::size_t k = 0; k < 3; ++k) {
            const double left = x[i * 3 + k], right = y[j * 3 + k];
            const bool want = op == &Equal ? left == right : op == &Greater ? left > right : left < right;
            EXPECT_EQ(got[(i * 2 + j) * 3 + k], want);
          }
        }
      }
    }
  }
}

TEST(Compare, LargeIntegersNanAndStrings) {
  const auto big = tensor<std::int64_t>({2}, {INT64_MAX, INT64_MIN});
  EXPECT_EQ(compared(Less, tensor<std::int64_t>({2}, {INT64_MAX - 1, INT64_MAX}), big), (std::vector<double>{1, 0}));
  EXPECT_EQ(compared(Greater, tensor<std::uint64_t>({1}, {UINT64_MAX}), tensor<std::uint64_t>({1}, {1})),
            std::vector<double>{1});
  const auto nan = tensor<float>({2}, {NAN, 0.0f}), other = tensor<float>({2}, {NAN, -0.0f});
  EXPECT_EQ(compared(Equal, nan, other), (std::vector<double>{0, 1}));
  EXPECT_EQ(compared(Less, nan, other), (std::vector<double>{0, 0}));
  EXPECT_EQ(compared(Equal, tensor<std::string>({2}, {"a", "B"}), tensor<std::string>({}, {"a"})),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(compared(Equal, tensor<bool>({2}, {true, false}), tensor<bool>({1}, {true})), (std::vector<double>{1, 0}));
}

TEST(Compare, VersionOnePlacesB) {
  const auto a = tensor<float>({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), b = tensor<float>({3}, {1, 3, 5});
  const Attributes placed = {transform::make_attr("broadcast", std::int64_t{1}),
                             transform::make_attr("axis", std::int64_t{1})};
  EXPECT_EQ(doubles(run(Less, 1, placed, {a, b})[0].tensor()),
            (std::vector<double>{1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(doubles(run_lifted(Less, 1, placed, {a, b})[0].tensor()),
            (std::vector<double>{1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_THROW(run(Less, 1, {}, {a, b}), Error);
}

}  // namespace
}  // namespace compare_test_cc
}  // namespace norn::ops::test
