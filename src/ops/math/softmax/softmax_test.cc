#include "ops/math/softmax/softmax.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;
using transform::make_attr;

ir::Attribute axis(std::int64_t a) { return make_attr("axis", a); }

// Along the middle dimension of [a, n, b].
Doubles direct(const Doubles& x, std::size_t a, std::size_t n, std::size_t b) {
  Doubles y(x.size());
  for (std::size_t i = 0; i < a; ++i)
    for (std::size_t k = 0; k < b; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += std::exp(x[(i * n + j) * b + k]);
      for (std::size_t j = 0; j < n; ++j) y[(i * n + j) * b + k] = std::exp(x[(i * n + j) * b + k]) / sum;
    }
  return y;
}

void expect_near(const Tensor& got, const Doubles& expected, double tolerance = 1e-13) {
  const auto values = doubles(got);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

TEST(Softmax, AlongOneAxis) {
  const Tensor x = random_tensor(DataType::Double, {2, 3, 4}, 5);
  const auto v = doubles(x);
  expect_near(run_and_check(Softmax, 13, {}, {x})[0].tensor(), direct(v, 6, 4, 1));
  expect_near(run_and_check(Softmax, 13, {axis(0)}, {x})[0].tensor(), direct(v, 1, 2, 12));
  expect_near(run_and_check(Softmax, 13, {axis(-2)}, {x})[0].tensor(), direct(v, 2, 3, 4));
  Doubles logs = direct(v, 2, 3, 4);
  for (double& l : logs) l = std::log(l);
  expect_near(run_and_check(LogSoftmax, 13, {axis(1)}, {x})[0].tensor(), logs);
}

TEST(Softmax, EveryType) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {1, 2}, {0, 0});
    EXPECT_EQ(doubles(run_and_check(Softmax, 13, {}, {x})[0].tensor()), (Doubles{0.5, 0.5}));
    expect_near(run_and_check(LogSoftmax, 13, {}, {x})[0].tensor(), {-std::log(2), -std::log(2)}, 2e-3);
  }
}

TEST(Softmax, LargeAndSpecialValues) {
  EXPECT_EQ(doubles(run(Softmax, 13, {}, {tensor<float>({3}, {1e30f, -1e30f, 1e30f})})[0].tensor()),
            (Doubles{0.5, 0, 0.5}));
  EXPECT_EQ(doubles(run(LogSoftmax, 13, {}, {tensor<float>({2}, {0, -INFINITY})})[0].tensor()),
            (Doubles{0, -INFINITY}));
  for (double v : doubles(run(Softmax, 13, {}, {tensor<float>({2}, {NAN, 1})})[0].tensor())) EXPECT_TRUE(std::isnan(v));
  for (double v : doubles(run(Softmax, 13, {}, {tensor<float>({2}, {-INFINITY, -INFINITY})})[0].tensor()))
    EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(run_and_check(Softmax, 13, {}, {Tensor(DataType::Float, {2, 0})})[0].tensor().size(), 0);
}

TEST(Softmax, SeesAMatrixBeforeThirteen) {
  const Tensor x = random_tensor(DataType::Double, {2, 3, 4}, 6);
  const auto v = doubles(x);
  struct Case {
    std::int64_t axis;
    std::size_t rows, columns;
  };
  for (const Case& c :
       {Case{0, 1, 24}, Case{1, 2, 12}, Case{2, 6, 4}, Case{3, 24, 1}, Case{-2, 2, 12}, Case{-1, 6, 4}}) {
    SCOPED_TRACE(c.axis);
    expect_near(run_and_check(Softmax, 11, {axis(c.axis)}, {x})[0].tensor(), direct(v, c.rows, c.columns, 1));
    expect_near(run_lifted(Softmax, 11, {axis(c.axis)}, {x})[0].tensor(), direct(v, c.rows, c.columns, 1));
  }
  expect_near(run_lifted(Softmax, 1, {}, {x})[0].tensor(), direct(v, 2, 12, 1));
}

TEST(Softmax, StepsDownMoveTheAxis) {
  const Tensor x = random_tensor(DataType::Double, {2, 3, 4}, 7);
  const auto v = doubles(x);
  for (int version : {1, 11}) {
    expect_near(run_moved(Softmax, 13, version, {axis(0)}, {x})[0].tensor(), direct(v, 1, 2, 12));
    expect_near(run_moved(Softmax, 13, version, {axis(1)}, {x})[0].tensor(), direct(v, 2, 3, 4));
    expect_near(run_moved(Softmax, 13, version, {}, {x})[0].tensor(), direct(v, 6, 4, 1));
  }
}

TEST(Softmax, StepsTakeTheSimplestWay) {
  const auto lift = [](const char* x, int from, int to, std::int64_t a) {
    return moved(Softmax, from, to, {axis(a)}, {type(x)});
  };
  EXPECT_EQ(lift("float[N,1000,1,1]", 11, 13, 1).nodes.size(), 1u);
  EXPECT_EQ(lift("float[N,1000]", 11, 13, 1).nodes.size(), 1u);
  EXPECT_EQ(lift("float", 11, 13, -1).nodes[0].schema->since, 13);
  EXPECT_EQ(lift("float[N,3,4]", 11, 13, 1).nodes.size(), 3u);
  for (const char* unknown : {"float", "float[N,3,H]"}) {
    const auto kept = lift(unknown, 11, 28, 1);
    ASSERT_EQ(kept.nodes.size(), 1u);
    EXPECT_EQ(kept.nodes[0].schema->since, 11);
  }
  EXPECT_EQ(lift("float[N,C,1,1]", 13, 11, 1).nodes.size(), 1u);
  EXPECT_EQ(lift("float[N,C,H]", 13, 11, 1).nodes.size(), 3u);
  EXPECT_THROW(lift("float", 13, 11, 1), Error);
  EXPECT_THROW(lift("float", 13, 1, -1), Error);
}

TEST(Softmax, RefusesAxesOutOfRange) {
  EXPECT_THROW(infer(Softmax, 13, {axis(2)}, {type("float[2,3]")}), Error);
  EXPECT_NO_THROW(infer(Softmax, 11, {axis(2)}, {type("float[2,3]")}));
  EXPECT_THROW(infer(Softmax, 11, {axis(3)}, {type("float[2,3]")}), Error);
  EXPECT_THROW(run(Softmax, 13, {axis(2)}, {tensor<float>({1, 1}, {1})}), Error);
  EXPECT_EQ(infer(Softmax, 13, {}, {type("float")}).types[0].to_string(), type("float").to_string());
}

}  // namespace
}  // namespace norn::ops
