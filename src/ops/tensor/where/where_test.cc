#include "ops/tensor/where/where.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(Where, BroadcastsThreeWays) {
  const auto condition = tensor<bool>({2, 1, 1}, {true, false});
  for (int n = 1; n < kDataTypeCount; ++n) {
    const auto type = static_cast<DataType>(n);
    if (!Where.history.back().types[1].set.allows_tensor(type)) continue;
    if (domain_of(type) == Domain::String || domain_of(type) == Domain::Complex) continue;
    SCOPED_TRACE(data_type_name(type));
    const Tensor x = random_tensor(type, {3, 1}, 1), y = random_tensor(type, {4}, 2);
    const Tensor out = run_and_check(Where, 16, {}, {condition, x, y})[0].tensor();
    ASSERT_EQ(out.dims(), (Shape{2, 3, 4}));
    const auto got = doubles(out), a = doubles(x), b = doubles(y);
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(got[i], i < 12 ? a[i / 4] : b[i % 4]);
  }
  const auto words =
      run(Where, 9, {},
          {tensor<bool>({2}, {true, false}), tensor<std::string>({}, {"a"}), tensor<std::string>({2}, {"b", "c"})})[0]
          .tensor();
  EXPECT_EQ(words.as<std::string>()[0], "a");
  EXPECT_EQ(words.as<std::string>()[1], "c");
}

}  // namespace
}  // namespace norn::ops::test
