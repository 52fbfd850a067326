// Max, Min and Sum: broadcasting of many operands, NaN, integers beyond double, the versions without broadcasting.
#include "ops/math/variadic_arith/variadic_arith.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double combine(const opset::Operator& op, double a, double b) {
  return &op == &Max ? std::max(a, b) : &op == &Min ? std::min(a, b) : a + b;
}

TEST(VariadicArith, EveryTypeBroadcast) {
  for (const opset::Operator* op : {&Max, &Min, &Sum}) {
    for (int n = 1; n < kDataTypeCount; ++n) {
      const auto type = static_cast<DataType>(n);
      if (!op->history.back().types[0].set.allows_tensor(type)) continue;
      SCOPED_TRACE(std::string(op->name) + " of " + std::string(data_type_name(type)));
      const Tensor a = random_tensor(type, {2, 1, 3}, 1), b = random_tensor(type, {4, 1}, 2),
                   c = random_tensor(type, {}, 3);
      const auto x = doubles(a), y = doubles(b), z = doubles(c);
      std::vector<double> want;
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          for (int k = 0; k < 3; ++k) {
            const double v = combine(
                *op, combine(*op, x[static_cast<std::size_t>(i * 3 + k)], y[static_cast<std::size_t>(j)]), z[0]);
            want.push_back(domain_of(type) == Domain::F64 ? round_to(type, v) : v);
          }
        }
      }
      const Tensor out = run_and_check(*op, 13, {}, {a, b, c})[0].tensor();
      EXPECT_EQ(out.dims(), (Shape{2, 4, 3}));
      EXPECT_EQ(doubles(out), want);
    }
  }
}

TEST(VariadicArith, OneInput) {
  const Tensor x = tensor<float>({2}, {1, -2});
  for (const opset::Operator* op : {&Max, &Min, &Sum}) {
    EXPECT_EQ(doubles(run_and_check(*op, 13, {}, {x})[0].tensor()), (std::vector<double>{1, -2}));
  }
}

TEST(VariadicArith, NanWins) {
  const Tensor a = tensor<double>({3}, {kNan, 1, 2}), b = tensor<double>({3}, {0, kNan, 3});
  for (const opset::Operator* op : {&Max, &Min, &Sum}) {
    const auto y = doubles(run(*op, 13, {}, {a, b, b})[0].tensor());
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
    EXPECT_FALSE(std::isnan(y[2]));
  }
}

TEST(VariadicArith, IntegersAreExact) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const auto y = run(Min, 13, {}, {tensor<std::uint64_t>({1}, {kMost}), tensor<std::uint64_t>({1}, {kMost - 1})});
  EXPECT_EQ(*y[0].tensor().as<std::uint64_t>(), kMost - 1);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  const auto z = run(Max, 13, {}, {tensor<std::int64_t>({1}, {kLeast}), tensor<std::int64_t>({1}, {kLeast + 1})});
  EXPECT_EQ(*z[0].tensor().as<std::int64_t>(), kLeast + 1);
}

TEST(VariadicArith, HalfSumRoundsOnce) {
  const auto sum = [](std::vector<double> values) {
    std::vector<Value> inputs;
    for (double v : values) inputs.push_back(tensor_of(DataType::Float16, {1}, {v}));
    return doubles(run(Sum, 13, {}, inputs)[0].tensor())[0];
  };
  EXPECT_EQ(sum({2048, 1, 1, 1, 1}), 2052);
  EXPECT_EQ(sum({65504, 65504, -65504}), 65504);
}

TEST(VariadicArith, Empty) {
  const Tensor none = tensor<float>({0, 3}, {}), row = tensor<float>({3}, {1, 2, 3});
  EXPECT_EQ(run_and_check(Sum, 13, {}, {none, row})[0].tensor().dims(), (Shape{0, 3}));
  EXPECT_THROW(run(Sum, 13, {}, {tensor<float>({2}, {1, 2}), row}), Error);
}

TEST(VariadicArith, OldVersions) {
  const Tensor a = tensor<float>({2}, {1, 5}), b = tensor<float>({2}, {3, -1});
  const auto consumed = transform::make_attr("consumed_inputs", std::vector<std::int64_t>{0, 0});
  EXPECT_EQ(doubles(run_lifted(Max, 1, {consumed}, {a, b})[0].tensor()), (std::vector<double>{3, 5}));
  EXPECT_EQ(doubles(run_lifted(Min, 6, {}, {a, b})[0].tensor()), (std::vector<double>{1, -1}));
  EXPECT_EQ(doubles(run_lifted(Sum, 6, {}, {a, b})[0].tensor()), (std::vector<double>{4, 4}));
  EXPECT_THROW(infer(Sum, 6, {}, {type("float[2]"), type("float[1]")}), Error);
  EXPECT_THROW(run(Sum, 6, {}, {a, tensor<float>({1}, {1})}), Error);
  EXPECT_EQ(infer(Sum, 8, {}, {type("float[2]"), type("float[1]")}).types[0].to_string(), "float[2]");
  EXPECT_EQ(infer(Sum, 6, {}, {type("float"), type("float[N]")}).types[0].to_string(), "float[N]");
}

TEST(VariadicArith, InfersSymbolicShapes) {
  EXPECT_EQ(infer(Max, 13, {}, {type("float[N,1]"), type("float[M]"), type("float[]")}).types[0].to_string(),
            "float[N,M]");
  const auto unknown = infer(Max, 13, {}, {type("float[N,1]"), type("float")});
  EXPECT_EQ(unknown.types[0].elem, DataType::Float);
  EXPECT_FALSE(unknown.types[0].has_rank());
}

TEST(VariadicArith, SymbolicIntegers) {
  const auto max = infer(Max, 13, {}, {type("int64[3]"), type("int64[1]")},
                         {tensor<std::int64_t>({3}, {1, 5, 2}), tensor<std::int64_t>({1}, {2})});
  EXPECT_EQ(max.values[0].ints, (opset::Dims{2, 5, 2}));
  const auto min = infer(Min, 13, {}, {type("int64[]"), type("int64[]")},
                         {tensor<std::int64_t>({}, {7}), tensor<std::int64_t>({}, {2})});
  EXPECT_EQ(min.values[0].ints, (opset::Dims{2}));
}

TEST(VariadicArith, StepsDownOnlyWithoutBroadcasting) {
  EXPECT_EQ(moved(Sum, 13, 6, {}, {type("float[N,2]"), type("float[N,2]")}).nodes.at(0).schema->since, 6);
  EXPECT_EQ(moved(Sum, 13, 1, {}, {type("float[2]")}).nodes.at(0).schema->since, 1);
  EXPECT_EQ(moved(Sum, 13, 8, {}, {type("float[N,2]"), type("float[2]")}).nodes.at(0).schema->since, 8);
  EXPECT_THROW(moved(Sum, 13, 6, {}, {type("float[N,2]"), type("float[2]")}), Error);
  EXPECT_THROW(moved(Sum, 13, 6, {}, {type("float[N]"), type("float[M]")}), Error);
  EXPECT_THROW(moved(Sum, 13, 6, {}, {type("float"), type("float")}), Error);
  EXPECT_THROW(moved(Sum, 13, 8, {}, {type("bfloat16[2]")}), Error);
}

}  // namespace
}  // namespace norn::ops::test
