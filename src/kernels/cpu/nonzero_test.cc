// Places of what is not zero against a walk over all elements.
#include "kernels/cpu/nonzero.h"

#include <limits>

#include "kernels/cpu/kernel_test.h"
#include "kernels/late_output.h"

namespace norn::kernels {
namespace {

using namespace test;

class Coordinates final : public LateOutput {
 public:
  void* allocate(const Shape& dims) override {
    this->dims = dims;
    rows.assign(static_cast<std::size_t>(element_count(dims)), -1);
    return rows.data();
  }
  Shape dims;
  std::vector<std::int64_t> rows;
};

template <class T, class IsZero>
void check(DataType type, const Shape& x, const std::vector<T>& values, IsZero&& is_zero) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_zero(values[i])) places.push_back(static_cast<std::int64_t>(i));
  std::vector<std::int64_t> want;
  std::int64_t step = element_count(x);
  for (const std::int64_t size : x) {
    step /= std::max<std::int64_t>(size, 1);
    for (const std::int64_t place : places) want.push_back(place / step % size);
  }
  Constants constants;
  ASSERT_EQ(nonzero_candidates()[0].refuses({type, x}), "");
  const auto kernel = nonzero_candidates()[0].make({type, x}, constants);
  for (const int width : {1, 3}) {
    const base::ParallelWidth w(width);
    Coordinates out;
    void* operands[] = {const_cast<T*>(values.data()), static_cast<LateOutput*>(&out)};
    kernel->run(operands, nullptr);
    ASSERT_EQ(out.dims, (Shape{static_cast<std::int64_t>(x.size()), static_cast<std::int64_t>(places.size())}));
    ASSERT_EQ(out.rows, want);
  }
}

// `zeros` of ten elements are zero, with or without a sign.
template <class T>
void check_sizes(DataType type, T minus_zero, T odd) {
  for (const Shape& x :
       std::vector<Shape>{{}, {0}, {1}, {5}, {1000}, {3, 7}, {2, 0, 3}, {4, 1, 5, 3}, {129, 65}, {300000}})
    for (const unsigned zeros : {0u, 5u, 9u, 10u}) {
      std::mt19937 engine(zeros);
      std::vector<T> values(static_cast<std::size_t>(element_count(x)));
      for (T& v : values) {
        const unsigned pick = engine() % 10;
        v = pick < zeros ? (pick % 2 ? T{} : minus_zero) : pick == 9 ? odd : static_cast<T>(1);
      }
      check(type, x, values, [](T v) { return v == T{}; });
    }
}

TEST(NonZero, EveryTypeAndSize) {
  check_sizes<std::uint8_t>(DataType::Bool, 0, 1);
  check_sizes<std::int8_t>(DataType::Int8, 0, -128);
  check_sizes<std::uint16_t>(DataType::Uint16, 0, 0x8000);
  check_sizes<std::int32_t>(DataType::Int32, 0, std::numeric_limits<std::int32_t>::min());
  check_sizes<std::uint64_t>(DataType::Uint64, 0, std::uint64_t{1} << 63);
  check_sizes<float>(DataType::Float, -0.0f, std::numeric_limits<float>::quiet_NaN());
  check_sizes<double>(DataType::Double, -0.0, 5e-324);
  for (const DataType half : {DataType::Float16, DataType::BFloat16})
    check<std::uint16_t>(half, {2, 3}, {0, 0x8000, 1, 0x8001, 0x7fff, 0xffff},
                         [](std::uint16_t v) { return v == 0 || v == 0x8000; });
}

TEST(NonZero, RefusesOtherTypes) {
  EXPECT_NE(nonzero_candidates()[0].refuses({DataType::String, {3}}), "");
  EXPECT_NE(nonzero_candidates()[0].refuses({DataType::Complex64, {3}}), "");
  EXPECT_NE(nonzero_candidates()[0].refuses({DataType::Bool, {std::int64_t{1} << 40, std::int64_t{1} << 40}}), "");
}

}  // namespace
}  // namespace norn::kernels
