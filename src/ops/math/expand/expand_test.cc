#include "ops/math/expand/expand.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(Expand, BothWays) {
  const auto x = tensor<float>({3, 1}, {1, 2, 3});
  const auto to = [&](std::vector<std::int64_t> shape) {
    return run_and_check(Expand, 13, {}, {x, tensor<std::int64_t>({std::int64_t(shape.size())}, shape)})[0].tensor();
  };
  EXPECT_EQ(to({2, 1, 4}).dims(), (Shape{2, 3, 4}));
  EXPECT_EQ(doubles(to({1, 2})), (std::vector<double>{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(to({}).dims(), (Shape{3, 1}));
  EXPECT_EQ(to({3, 0}).dims(), (Shape{3, 0}));
  EXPECT_THROW(to({2, 2}), Error);
  EXPECT_EQ(infer(Expand, 13, {}, {type("float[N,1]"), type("int64[3]")}).types[0].shape->size(), 3u);
}

}  // namespace
}  // namespace norn::ops::test
