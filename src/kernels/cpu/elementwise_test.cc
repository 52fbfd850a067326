// Chains against double arithmetic: every step over its whole range, every kind of broadcast, both layouts.
#include "kernels/cpu/elementwise.h"

#include <iterator>
#include <limits>
#include <random>

#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/walk.h"
#include "kernels/element_op.h"

namespace norn::kernels {
namespace {

using namespace test;

std::vector<float> run_chain(const ChainConfig& config, const std::vector<std::vector<float>>& inputs) {
  Constants constants;
  const auto& candidate = chain_candidates()[0];
  EXPECT_EQ(candidate.refuses(config), "");
  auto kernel = candidate.make(config, constants);
  std::vector<void*> operands;
  for (auto& v : inputs) operands.push_back(const_cast<float*>(v.data()));
  return run_at_widths(*kernel, operands,
                       std::vector<float>(static_cast<std::size_t>(element_count(config.out)), -7.0f));
}

// Distance in units of the last place of the true value.
double ulps(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(want) || std::isinf(got)) return static_cast<float>(want) == got ? 0 : 1e9;
  int exponent;
  std::frexp(want, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(got - want) / unit;
}

struct Accuracy {
  ElementOp op;
  float a, b, low, high;
  double bound;
};

TEST(Chain, FunctionsAreAccurateOverTheirRange) {
  const float inf = std::numeric_limits<float>::infinity();
  const Accuracy cases[] = {
      {ElementOp::Relu, 0, 0, -5, 5, 0},
      {ElementOp::LeakyRelu, 0.25f, 0, -5, 5, 0.5},
      {ElementOp::Clip, -1, 2, -5, 5, 0},
      {ElementOp::Abs, 0, 0, -5, 5, 0},
      {ElementOp::Neg, 0, 0, -5, 5, 0},
      {ElementOp::Exp, 0, 0, -110, 95, 2},
      {ElementOp::Exp, 0, 0, -1, 1, 2},
      {ElementOp::Log, 0, 0, -1, 1e30f, 3},
      {ElementOp::Log, 0, 0, 0.3f, 3, 3},
      {ElementOp::Log, 0, 0, 0, 1e-37f, 3},
      {ElementOp::Sqrt, 0, 0, -1, 100, 0.6},
      {ElementOp::Reciprocal, 0, 0, -9, 9, 0.6},
      {ElementOp::Erf, 0, 0, -5, 5, 7},
      {ElementOp::Erf, 0, 0, -0.01f, 0.01f, 4},
      {ElementOp::Sigmoid, 0, 0, -87, 100, 4},
      {ElementOp::Tanh, 0, 0, -12, 12, 6},
      {ElementOp::Tanh, 0, 0, -0.7f, 0.7f, 3.5},
      {ElementOp::Softsign, 0, 0, -9, 9, 1.6},
      {ElementOp::Elu, 1, 0, -20, 3, 4},
      {ElementOp::Elu, 1, 0, -0.6f, 0, 4},
      {ElementOp::Softplus, 0, 0, -60, 60, 5},
      {ElementOp::Swish, 1, 0, -80, 80, 5},
      {ElementOp::Swish, 2.5f, 0, -3, 3, 9},
      {ElementOp::Celu, 2, 0, -20, 3, 5},
      {ElementOp::Selu, 1.67f, 1.05f, -20, 3, 5},
      {ElementOp::Mish, 0, 0, -60, 60, 5},
      {ElementOp::ThresholdedRelu, 1, 0, -5, 5, 0},
      {ElementOp::Round, 0, 0, -9, 9, 0},
      {ElementOp::Sign, 0, 0, -9, 9, 0},
      {ElementOp::Floor, 0, 0, -9, 9, 0},
      {ElementOp::Ceil, 0, 0, -9, 9, 0},
  };
  for (const Accuracy& c : cases) {
    std::vector<float> x = random_floats(40007, static_cast<unsigned>(c.op) + 1, c.low, c.high);
    x[0] = 0.0f;
    x[1] = -0.0f;
    x[2] = std::nanf("");
    if (c.op != ElementOp::Swish && c.op != ElementOp::Mish && c.op != ElementOp::Softsign) {
      x[3] = inf;
      x[4] = -inf;
    }
    x[5] = 1e-42f;
    ChainConfig config{.out = {40007}, .inputs = {{{40007}}}, .steps = {{c.op, c.a, c.b}}};
    const auto got = run_chain(config, {x});
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (c.op == ElementOp::Reciprocal && i == 5) continue;
      const double error = ulps(got[i], step_value(config.steps[0], x[i]));
      if (error > worst) worst = error, at = i;
    }
    EXPECT_LE(worst, c.bound) << "op " << static_cast<int>(c.op) << " x=" << x[at] << " got " << got[at];
  }
}

TEST(Chain, FunctionsKeepTheSignOfZero) {
  using enum ElementOp;
  const std::vector<float> x(40, -0.0f);
  for (const ElementOp op : {Neg, Sqrt, Reciprocal, Erf, Tanh, Softsign, HardSwish, Elu, Gelu, GeluTanh, Floor, Ceil,
                             Swish, Celu, Selu, Mish, Round, Sign}) {
    const ChainConfig config{.out = {40}, .inputs = {{{40}}}, .steps = {{op, 1.5f, 1.25f}}};
    for (const float got : run_chain(config, {x}))
      ASSERT_EQ(std::signbit(got), std::signbit(step_value(config.steps[0], -0.0))) << static_cast<int>(op);
  }
}

TEST(Chain, GatesAreAccurateRelativeToTheirArgument) {
  for (ElementOp op : {ElementOp::Gelu, ElementOp::GeluTanh, ElementOp::HardSwish, ElementOp::HardSigmoid}) {
    const auto x = random_floats(30011, 5, -9, 9);
    ChainConfig config{.out = {30011}, .inputs = {{{30011}}}, .steps = {{op, 0.2f, 0.5f}}};
    const auto got = run_chain(config, {x});
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(got[i], step_value(config.steps[0], x[i]), 2.5e-7 * (std::abs(x[i]) + 0.3))
          << static_cast<int>(op) << " " << x[i];
  }
}

TEST(Chain, BinaryStepsBroadcastEveryWay) {
  const Shape out = {2, 5, 7, 11};
  const std::vector<Shape> shapes = {{2, 5, 7, 11}, {},      {1},          {11},         {7, 1},       {5, 1, 1},
                                     {1, 5, 1, 11}, {7, 11}, {2, 1, 1, 1}, {2, 1, 7, 1}, {1, 1, 1, 1}, {2, 5, 1, 11}};
  for (Layout layout : {Layout::Dense, Layout::ChannelsLast}) {
    for (const Shape& dims : shapes) {
      for (ElementOp op : {ElementOp::Add, ElementOp::Sub, ElementOp::Mul, ElementOp::Div, ElementOp::Max,
                           ElementOp::Min, ElementOp::Pow, ElementOp::PRelu}) {
        for (bool swapped : {false, true}) {
          const Layout own = dims.size() == 4 ? layout : Layout::Dense;
          ChainConfig config{
              .out = out, .layout = layout, .inputs = {{out, layout}, {dims, own}}, .steps = {{op, 0, 0, 1, swapped}}};
          const auto x = random_floats(element_count(out), 3, 0.5f, 2),
                     y = random_floats(element_count(dims), 4, 0.5f, 2);
          const auto got =
              relaid(run_chain(config, {relaid(x, out, Layout::Dense, layout), y}), out, layout, Layout::Dense);
          std::vector<double> want(x.begin(), x.end());
          apply_steps(want, out, config.steps, config.inputs, {x, y});
          expect_close(got, want, 3e-7, to_string(dims) + " op " + std::to_string(static_cast<int>(op)));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// What is spread once for all images: channels of few pixels, rows of few columns, as any of the operands.
TEST(Chain, OperandsRepeatForManyImages) {
  using enum ElementOp;
  const std::vector<std::vector<ElementStep>> chains = {
      {{.op = Mul, .operand = 1}, {.op = Add, .operand = 2}},
      {{.op = Add, .operand = 2}, {.op = Relu}, {.op = Sub, .operand = 1, .swapped = true}},
      {{.op = Sub, .operand = 1}, {.op = Max, .operand = 3}, {.op = Mul, .operand = 2}}};
  for (const Shape& out : {Shape{700, 3, 5}, Shape{90, 14, 8, 2}, Shape{5, 23, 60}, Shape{64, 2, 3, 40}})
    for (std::size_t first = 0; first < 2; ++first)
      for (const auto& steps : chains) {
        Shape channels(out.size(), 1), row(out.size(), 1);
        channels[1] = out[1];
        row.back() = out.back();
        Shape image = out;
        image[0] = 1;
        ChainConfig config{.out = out, .inputs = {{out}, {channels}, {image}, {row}}, .steps = steps};
        if (first == 1) std::swap(config.inputs[0], config.inputs[1]);
        std::vector<std::vector<float>> values;
        for (const ExtraOperand& input : config.inputs)
          values.push_back(random_floats(element_count(input.dims), static_cast<unsigned>(5 + values.size()), 0.5f, 2));
        std::vector<double> want(static_cast<std::size_t>(element_count(out)));
        for (std::size_t i = 0; i < want.size(); ++i)
          want[i] = broadcast_value({config.inputs[0]}, values[0].data(), out, static_cast<std::int64_t>(i));
        apply_steps(want, out, config.steps, config.inputs, values);
        expect_close(run_chain(config, values), want, 5e-7, to_string(out) + " first " + std::to_string(first));
        if (HasFatalFailure()) return;
      }
}

TEST(Chain, AFirstInputBroadcasts) {
  for (const Shape& dims : {Shape{}, Shape{13, 1}, Shape{300}, Shape{1, 300}, Shape{13, 300}}) {
    ChainConfig config{.out = {13, 300}, .inputs = {{dims}}};
    const auto x = random_floats(element_count(dims), 8);
    const auto got = run_chain(config, {x});
    for (std::int64_t i = 0; i < 13 * 300; ++i)
      ASSERT_EQ(got[static_cast<std::size_t>(i)], broadcast_value({dims}, x.data(), config.out, i)) << to_string(dims);
  }
}

// Both are rounded: a product that overflows stays infinite.
TEST(Chain, AProductAndASumAreTwoOperations) {
  const ChainConfig config{.out = {40},
                           .inputs = {{{40}}, {{1}}, {{1}}},
                           .steps = {{.op = ElementOp::Mul, .operand = 1}, {.op = ElementOp::Add, .operand = 2}}};
  const std::vector<float> large(40, 3e38f), some(40, 1.1f);
  EXPECT_EQ(run_chain(config, {large, {2.0f}, {-3e38f}}), std::vector<float>(40, INFINITY));
  EXPECT_EQ(run_chain(config, {some, {1.3f}, {-(1.1f * 1.3f)}}), std::vector<float>(40, 0.0f));
  for (const std::int64_t n : {200, 1001}) {  // of rows
    const ChainConfig rows{.out = {3, n}, .inputs = {{{3, n}}, {{n}}, {{n}}}, .steps = config.steps};
    const auto x = random_floats(3 * n, 1), scale = random_floats(n, 2);
    for (const float shift : {0.25f, -0.0f}) {
      std::vector<float> shifts(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < shifts.size(); ++i) {
        const float product = x[i] * scale[i];
        shifts[i] = shift == 0 ? -product : shift;
      }
      const auto got = run_chain(rows, {x, scale, shifts});
      for (std::size_t i = 0; i < got.size(); ++i) {
        volatile float product = x[i] * scale[i % shifts.size()];
        ASSERT_EQ(got[i], product + shifts[i % shifts.size()]) << i;
      }
    }
  }
}

TEST(Chain, LongChainsOfEverySizeAndInPlace) {
  for (std::int64_t n : {0, 1, 2, 15, 16, 17, 63, 64, 1023, 1024, 1025, 5000, 300000}) {
    const Shape out = {n};
    ChainConfig config{.out = out, .inputs = {{out}, {out}, {{1}}}};
    for (int i = 0; i < 6; ++i) {
      config.steps.push_back({ElementOp::Tanh});
      config.steps.push_back({ElementOp::Add, 0, 0, 1});
      config.steps.push_back({ElementOp::Identity});
      config.steps.push_back({ElementOp::Sub, 0, 0, 2, i % 2 == 1});
      config.steps.push_back({ElementOp::Max, 0, 0, 0});
    }
    const auto x = random_floats(n, 1), y = random_floats(n, 2), z = random_floats(1, 3);
    std::vector<double> want(x.begin(), x.end());
    apply_steps(want, out, config.steps, config.inputs, {x, y, z});
    const auto apart = run_chain(config, {x, y, z});
    expect_close(apart, want, 1e-5, std::to_string(n));
    Constants constants;
    auto kernel = chain_candidates()[0].make(config, constants);
    std::vector<float> same = x;
    void* operands[] = {same.data(), const_cast<float*>(y.data()), const_cast<float*>(z.data()), same.data()};
    kernel->run(operands, nullptr);
    EXPECT_TRUE(n == 0 || std::memcmp(same.data(), apart.data(), same.size() * 4) == 0) << "in place, " << n;
  }
}

// Operands that are read where they lie, in runs far longer than a tile: one step, and a scale with a shift.
TEST(Chain, LongRunsAndInPlace) {
  using enum ElementOp;
  const Shape out = {2, 3, 190, 300};
  for (const Shape& dims : {Shape{3, 1, 1}, Shape{2, 3, 1, 1}, Shape{}, out, Shape{190, 300}})
    for (const bool two : {false, true}) {
      ChainConfig config{.out = out, .inputs = {{out}, {dims}, {dims}}};
      config.steps.push_back({.op = two ? Mul : Sub, .operand = 1});
      if (two) config.steps.push_back({.op = Add, .operand = 2});
      const auto x = random_floats(element_count(out), 1), y = random_floats(element_count(dims), 2),
                 z = random_floats(element_count(dims), 3);
      std::vector<double> want(x.begin(), x.end());
      apply_steps(want, out, config.steps, config.inputs, {x, y, z});
      const auto apart = run_chain(config, {x, y, z});
      expect_close(apart, want, 2e-7, to_string(dims));
      Constants constants;
      std::vector<float> same = x;
      void* operands[] = {same.data(), const_cast<float*>(y.data()), const_cast<float*>(z.data()), same.data()};
      chain_candidates()[0].make(config, constants)->run(operands, nullptr);
      EXPECT_EQ(same, apart) << to_string(dims);
    }
}

TEST(Chain, MaxAndMinKeepNaN) {
  const float nan = std::nanf("");
  for (ElementOp op : {ElementOp::Max, ElementOp::Min}) {
    ChainConfig config{.out = {40}, .inputs = {{{40}}, {{40}}}, .steps = {{op, 0, 0, 1}}};
    std::vector<float> x(40, 1.0f), y(40, 2.0f);
    x[3] = nan;
    y[5] = nan;
    x[35] = y[35] = nan;
    const auto got = run_chain(config, {x, y});
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(std::isnan(got[i]), i == 3 || i == 5 || i == 35) << i;
  }
}

template <class T>
void integers(DataType type) {
  const std::int64_t n = 3000;
  std::mt19937_64 engine(5);
  std::vector<T> x(n), y(50);
  for (T& v : x) v = static_cast<T>(engine());
  for (T& v : y) v = static_cast<T>(engine());
  x[0] = std::numeric_limits<T>::min();
  ChainConfig config{.out = {60, 50}, .inputs = {{{60, 50}}, {{50}}}, .type = type};
  config.steps = {{ElementOp::Abs},
                  {ElementOp::Mul, 0, 0, 1},
                  {ElementOp::Sub, 0, 0, 1, true},
                  {ElementOp::Max, 0, 0, 1},
                  {ElementOp::Neg}};
  ASSERT_EQ(chain_candidates()[0].refuses(config), "");
  Constants constants;
  auto kernel = chain_candidates()[0].make(config, constants);
  const auto got = run_at_widths(*kernel, {x.data(), y.data()}, std::vector<T>(n));
  using U = std::make_unsigned_t<T>;
  for (std::size_t i = 0; i < n; ++i) {
    const U b = static_cast<U>(y[i % 50]);
    U v = static_cast<U>(x[i]);
    if (x[i] < 0) v = U{0} - v;
    v = b - v * b;
    const T top = std::max(static_cast<T>(v), static_cast<T>(b));
    ASSERT_EQ(got[i], static_cast<T>(U{0} - static_cast<U>(top))) << i;
  }
}
TEST(Chain, IntegersWrap) {
  integers<std::int32_t>(DataType::Int32);
  integers<std::int64_t>(DataType::Int64);
}

// Each step of the table in double is the step's meaning, to the bit.
TEST(Chain, DoubleIsExact) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x = {1.5, -2.25, 0, 1e300, -1e-300, nan, inf, -inf, 3},
                            y = {0.5, 4, -3, 1e300, 2, 1, nan, 2, -7};
  int checked = 0;
  for (const ElementInfo& info : kElementTable) {
    if (!info.f64) continue;
    for (bool swapped : {false, true}) {
      if (swapped && !is_binary(info.op)) continue;
      ++checked;
      const ElementStep step{.op = info.op, .operand = is_binary(info.op) ? 1 : -1, .swapped = swapped};
      const ChainConfig config{.out = {9}, .inputs = {{{9}}, {{9}}}, .steps = {step}, .type = DataType::Double};
      ASSERT_EQ(chain_candidates()[0].refuses(config), "");
      Constants constants;
      const auto got =
          run_at_widths(*chain_candidates()[0].make(config, constants),
                        {const_cast<double*>(x.data()), const_cast<double*>(y.data())}, std::vector<double>(9));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double want = step_value(step, x[i], y[i]);
        EXPECT_TRUE(got[i] == want || (std::isnan(got[i]) && std::isnan(want)))
            << info.name << " " << x[i] << " " << y[i];
      }
    }
  }
  EXPECT_EQ(checked, 17);
}

TEST(Chain, RefusesWhatItCannot) {
  ChainConfig config{.out = {4}, .inputs = {{{3}}}};
  EXPECT_NE(chain_candidates()[0].refuses(config), "");
  config = {.out = {4}, .inputs = {{{4}}}, .steps = {{ElementOp::Add, 0, 0, 1}}};
  EXPECT_NE(chain_candidates()[0].refuses(config), "");
  config = {.out = {4}, .inputs = {{{4}}}, .steps = {{ElementOp::Exp}}, .type = DataType::Int64};
  EXPECT_NE(chain_candidates()[0].refuses(config), "");
  config = {.out = {4}, .inputs = {{{4}}}, .steps = {{ElementOp::Exp}}, .type = DataType::Double};
  EXPECT_NE(chain_candidates()[0].refuses(config), "");
  config = {.out = {4}, .inputs = {{{4}}}, .type = DataType::Uint8};
  EXPECT_NE(chain_candidates()[0].refuses(config), "");
}

// Tiles of operands whose rows are short, repeat, or lie apart, from every position on.
TEST(Walk, ReadsEveryRange) {
  std::mt19937 engine(11);
  const std::int64_t sizes[] = {1, 2, 3, 4, 5, 8, 9, 40}, strides[] = {0, 0, 1, 2, 3, 7};
  for (int round = 0; round < 400; ++round) {
    Walk walk;
    for (std::size_t d = 1 + engine() % 4; d > 0; --d)
      walk.dims.push_back({sizes[engine() % std::size(sizes)], strides[engine() % std::size(strides)]});
    std::int64_t all = 1, reach = 0;
    for (const StridedDim& dim : walk.dims) {
      all *= dim.size;
      reach += (dim.size - 1) * dim.stride;
    }
    std::vector<std::uint16_t> from(static_cast<std::size_t>(reach + 1));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint16_t>(i);
    for (int part = 0; part < 40; ++part) {
      const auto at = static_cast<std::int64_t>(engine() % static_cast<unsigned>(all));
      const auto n =
          1 + static_cast<std::int64_t>(engine() % static_cast<unsigned>(std::min<std::int64_t>(all - at, 600)));
      std::vector<std::uint16_t> tile(static_cast<std::size_t>(n) + 1, 0xffff);
      bool one = false;
      const std::uint16_t* const got = walk.read(from.data(), at, n, tile.data(), one);
      for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(one ? *got : got[i], from[static_cast<std::size_t>(offset_of(walk.dims, at + i))]) << at << " " << i;
      ASSERT_EQ(tile.back(), 0xffff);
    }
  }
}

}  // namespace
}  // namespace norn::kernels
