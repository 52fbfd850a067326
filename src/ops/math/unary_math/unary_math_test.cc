// The unary element-wise operators against closed forms in double, for every type that each version allows.
#include "ops/math/unary_math/unary_math.h"

#include <cmath>
#include <limits>

#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  const opset::Operator* op;
  double (*f)(double);
};
const Case kCases[] = {
    {&Relu, [](double x) { return std::isnan(x) ? x : std::fmax(x, 0.0); }},
    {&Abs, [](double x) { return std::abs(x); }},
    {&Neg, [](double x) { return 0.0 - x; }},
    {&Exp, [](double x) { return std::exp(x); }},
    {&Sqrt, [](double x) { return x < 0 ? kNan : std::sqrt(x); }},
    {&Erf, [](double x) { return 1.0 - std::erfc(x); }},
    {&Sigmoid, [](double x) { return 0.5 * (1.0 + std::tanh(0.5 * x)); }},
    {&Tanh,
     [](double x) { return std::isinf(x) ? std::copysign(1.0, x) : -std::expm1(-2 * x) / (2 + std::expm1(-2 * x)); }},
    {&Softsign, [](double x) { return x / (1.0 + std::abs(x)); }},
};

bool allows(const opset::Schema& row, DataType type) { return row.types[0].set.allows_tensor(type); }

void expect_near(const std::vector<double>& got, const std::vector<double>& want, double relative, double absolute) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i;
    else if (std::isinf(want[i]))
      EXPECT_EQ(got[i], want[i]) << i;
    else
      EXPECT_NEAR(got[i], want[i], std::abs(want[i]) * relative + absolute) << i;
  }
}

TEST(UnaryMath, EveryTypeOfTheNewestVersion) {
  for (const Case& c : kCases) {
    const opset::Schema& row = c.op->history.back();
    for (int n = 1; n < kDataTypeCount; ++n) {
      const auto type = static_cast<DataType>(n);
      if (!allows(row, type)) continue;
      SCOPED_TRACE(std::string(c.op->name) + " of " + std::string(data_type_name(type)));
      const Tensor x = random_tensor(type, {2, 3, 5}, 7);
      std::vector<double> want = doubles(x);
      const bool real = domain_of(type) == Domain::F64;
      for (double& v : want) v = real ? round_to(type, c.f(v)) : c.f(v);
      const Tensor y = run_and_check(*c.op, row.since, {}, {x})[0].tensor();
      EXPECT_EQ(y.dtype(), type);
      EXPECT_EQ(y.dims(), x.dims());
      // Two correct formulas may round to neighbours.
      const double step = type == DataType::Double    ? 1e-14
                          : type == DataType::Float   ? 2e-7
                          : type == DataType::Float16 ? 2e-3
                                                      : 1e-2;
      expect_near(doubles(y), want, real ? step : 0, real ? 1e-15 : 0);
    }
  }
}

TEST(UnaryMath, SpecialValues) {
  const Tensor x = tensor<double>({5}, {kNan, kInf, -kInf, 0.0, -0.0});
  const auto get = [&](const opset::Operator& op) { return doubles(run(op, 22, {}, {x})[0].tensor()); };
  expect_near(get(Relu), {kNan, kInf, 0, 0, 0}, 0, 0);
  expect_near(get(Abs), {kNan, kInf, kInf, 0, 0}, 0, 0);
  expect_near(get(Neg), {kNan, -kInf, kInf, 0, 0}, 0, 0);
  expect_near(get(Exp), {kNan, kInf, 0, 1, 1}, 0, 0);
  expect_near(get(Sqrt), {kNan, kInf, kNan, 0, 0}, 0, 0);
  expect_near(get(Erf), {kNan, 1, -1, 0, 0}, 0, 0);
  expect_near(get(Sigmoid), {kNan, 1, 0, 0.5, 0.5}, 0, 0);
  expect_near(get(Tanh), {kNan, 1, -1, 0, 0}, 0, 0);
  expect_near(get(Softsign), {kNan, kNan, kNan, 0, 0}, 0, 0);
  EXPECT_TRUE(std::signbit(get(Neg)[3]));
  EXPECT_FALSE(std::signbit(get(Abs)[4]));
}

TEST(UnaryMath, LeastIntegersWrap) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  for (const opset::Operator* op : {&Abs, &Neg}) {
    const Tensor y = run(*op, 13, {}, {tensor<std::int64_t>({2}, {kLeast, -5})})[0].tensor();
    EXPECT_EQ(y.as<std::int64_t>()[0], kLeast);
    EXPECT_EQ(y.as<std::int64_t>()[1], 5);
    EXPECT_EQ(doubles(run(*op, 13, {}, {tensor_of(DataType::Int8, {2}, {-128, -127})})[0].tensor()),
              (std::vector<double>{-128, 127}));
  }
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(*run(Abs, 13, {}, {tensor<std::uint64_t>({1}, {kMost})})[0].tensor().as<std::uint64_t>(), kMost);
}

TEST(UnaryMath, EmptyAndScalar) {
  for (const Case& c : kCases) {
    EXPECT_EQ(run_and_check(*c.op, 22, {}, {tensor<float>({2, 0, 3}, {})})[0].tensor().dims(), (Shape{2, 0, 3}));
    const Tensor y = run_and_check(*c.op, 22, {}, {tensor<float>({}, {0.25f})})[0].tensor();
    EXPECT_EQ(y.dims(), Shape{});
    EXPECT_NEAR(doubles(y)[0], c.f(0.25), 1e-7);
  }
}

TEST(UnaryMath, OldVersions) {
  const Tensor x = tensor<float>({3}, {-1.5f, 0.5f, 2.0f});
  for (const Case& c : kCases) {
    const int first = c.op->history.front().since;
    Attributes attrs;
    if (!c.op->history.front().attrs.empty())
      attrs.push_back(transform::make_attr("consumed_inputs", std::vector<std::int64_t>{0}));
    std::vector<double> want = doubles(x);
    for (double& v : want) v = c.f(v);
    SCOPED_TRACE(c.op->name);
    expect_near(doubles(run_lifted(*c.op, first, attrs, {x})[0].tensor()), want, 1e-6, 1e-7);
  }
}

TEST(UnaryMath, ErfOfIntegers) {
  for (const DataType type : {DataType::Int8, DataType::Int32, DataType::Int64}) {
    const Tensor x = tensor_of(type, {7}, {-100, -4, -3, 0, 3, 4, 100});
    const std::vector<double> want = {-1, -1, 0, 0, 0, 1, 1};
    EXPECT_EQ(doubles(run(Erf, 9, {}, {x})[0].tensor()), want);
    const Tensor lifted = run_lifted(Erf, 9, {}, {x})[0].tensor();
    EXPECT_EQ(lifted.dtype(), type);
    EXPECT_EQ(doubles(lifted), want);
  }
  EXPECT_EQ(doubles(run_lifted(Erf, 9, {}, {tensor_of(DataType::Uint16, {2}, {0, 9})})[0].tensor()),
            (std::vector<double>{0, 1}));
}

TEST(UnaryMath, SymbolicIntegers) {
  using opset::DimExpr;
  const auto n = DimExpr::variable("N");
  EXPECT_EQ(infer(Relu, 14, {}, {type("int64[3]")}, {tensor<std::int64_t>({3}, {-2, 0, 5})}).values[0].ints,
            (opset::Dims{0, 0, 5}));
  EXPECT_EQ(infer(Abs, 13, {}, {type("int64[2]")}, {tensor<std::int64_t>({2}, {-2, 5})}).values[0].ints,
            (opset::Dims{2, 5}));
  EXPECT_EQ(infer(Neg, 13, {}, {type("int64[]")}, {tensor<std::int64_t>({}, {4})}).values[0].ints, (opset::Dims{-4}));
}

TEST(UnaryMath, InfersShapes) {
  EXPECT_EQ(infer(Exp, 13, {}, {type("float[N,2*M]")}).types[0].to_string(), "float[N,2*M]");
  EXPECT_EQ(infer(Exp, 13, {}, {type("bfloat16")}).types[0].elem, DataType::BFloat16);
  EXPECT_THROW(infer(Exp, 13, {}, {type("int32[2]")}), Error);
}

}  // namespace
}  // namespace norn::ops::test
