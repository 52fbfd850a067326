#include "ops/logical/logical/logical.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(Logical, Tables) {
  const auto a = tensor<bool>({2, 1}, {false, true}), b = tensor<bool>({2}, {false, true});
  const auto table = [&](const opset::Operator& op) { return doubles(run_and_check(op, 7, {}, {a, b})[0].tensor()); };
  EXPECT_EQ(table(And), (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(table(Or), (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ(table(Xor), (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(doubles(run_and_check(Not, 1, {}, {b})[0].tensor()), (std::vector<double>{1, 0}));
  EXPECT_EQ(run_and_check(Not, 1, {}, {tensor<bool>({0, 2}, {})})[0].tensor().dims(), (Shape{0, 2}));
}

}  // namespace
}  // namespace norn::ops::test
