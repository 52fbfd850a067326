// Products over channels around a depthwise convolution against loops in double.
#include "kernels/cpu/separable.h"

#include <limits>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/windows.h"

namespace norn::kernels {
namespace {

using namespace test;
using Stage = SeparableConfig::Stage;

struct Case {
  std::int64_t images, channels, height, width, middle, filters;  // filters 0: no product behind
  Shape window, strides, dilations, begin;
  bool expands = true;
};

// [n, c, h, w] from a product over channels.
std::vector<double> product(const std::vector<double>& x, std::int64_t images, std::int64_t channels,
                            std::int64_t pixels, const std::vector<float>& w, const std::vector<float>* bias,
                            std::int64_t filters) {
  std::vector<double> out;
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t m = 0; m < filters; ++m)
      for (std::int64_t p = 0; p < pixels; ++p) {
        double sum = bias ? (*bias)[static_cast<std::size_t>(m)] : 0;
        for (std::int64_t c = 0; c < channels; ++c)
          sum += x[static_cast<std::size_t>((n * channels + c) * pixels + p)] *
                 w[static_cast<std::size_t>(m * channels + c)];
        out.push_back(sum);
      }
  return out;
}

std::vector<double> depthwise(const SeparableConfig& c, const std::vector<double>& x, const std::vector<float>& w,
                              const std::vector<float>* bias) {
  std::vector<double> out;
  for (std::int64_t n = 0; n < c.x[0]; ++n)
    for (std::int64_t m = 0; m < c.middle; ++m)
      for (std::int64_t r = 0; r < c.out[2]; ++r)
        for (std::int64_t q = 0; q < c.out[3]; ++q) {
          double sum = bias ? (*bias)[static_cast<std::size_t>(m)] : 0;
          for (std::int64_t i = 0; i < c.window[0]; ++i)
            for (std::int64_t j = 0; j < c.window[1]; ++j) {
              const std::int64_t y = r * c.strides[0] - c.pads_begin[0] + i * c.dilations[0],
                                 z = q * c.strides[1] - c.pads_begin[1] + j * c.dilations[1];
              if (y < 0 || z < 0 || y >= c.x[2] || z >= c.x[3]) continue;
              sum += x[static_cast<std::size_t>(((n * c.middle + m) * c.x[2] + y) * c.x[3] + z)] *
                     w[static_cast<std::size_t>((m * c.window[0] + i) * c.window[1] + j)];
            }
          out.push_back(sum);
        }
  return out;
}

void check(const Case& given, unsigned seed, bool has_bias, std::vector<ElementStep> between,
           std::vector<ElementStep> post, std::vector<ExtraOperand> extra, bool rounds = false) {
  SeparableConfig c;
  c.x = {given.images, given.channels, given.height, given.width};
  c.middle = given.middle;
  c.window = given.window;
  c.strides = given.strides;
  c.dilations = given.dilations;
  c.pads_begin = given.begin;
  c.out = {given.images, given.filters > 0 ? given.filters : given.middle};
  for (std::size_t d = 0; d < 2; ++d)
    c.out.push_back(
        (c.x[d + 2] + 2 * given.begin[d] - (given.window[d] - 1) * given.dilations[d] - 1) / given.strides[d] + 1);
  const auto x = random_floats(element_count(c.x), seed),
             w1 = random_floats(given.middle * given.channels, seed + 1, -0.3f, 0.3f),
             w2 = random_floats(given.middle * given.window[0] * given.window[1], seed + 2, -0.3f, 0.3f),
             w3 = random_floats(given.middle * std::max<std::int64_t>(given.filters, 1), seed + 3, -0.3f, 0.3f),
             b1 = random_floats(given.middle, seed + 4), b2 = random_floats(given.middle, seed + 5),
             b3 = random_floats(c.out[1], seed + 6);
  const auto known = [](const std::vector<float>& w) { return Contents{w.data(), true, w.size() * sizeof(float)}; };
  if (given.expands) c.weights[Stage::Expand] = known(w1);
  c.weights[Stage::Depthwise] = known(w2);
  if (given.filters > 0) c.weights[Stage::Project] = known(w3);
  c.has_bias = {has_bias, has_bias, has_bias};
  c.post_expand = given.expands ? between : std::vector<ElementStep>();
  c.post_depthwise = given.filters > 0 ? between : std::vector<ElementStep>();
  c.post = post;
  for (ExtraOperand& e : extra) {
    if (e.dims.empty()) e = {c.out, Layout::ChannelsLast, nullptr, {}};
    if (e.dims == Shape{0}) e = {{c.out[1], 1, 1}, Layout::Dense, nullptr, {}};
  }
  c.extra = extra;
  c.rounds = rounds;
  const auto factor = [&]<class T>(std::vector<T> values) {
    for (T& v : values)
      if (rounds) v = base::bfloat16_to_float(base::float_to_bfloat16(static_cast<float>(v)));
    return values;
  };
  const std::string what = to_string(c.x) + " " + std::to_string(c.middle) + " " + to_string(c.out);
  ASSERT_EQ(separable_candidates()[0].refuses(c), "") << what;

  PostOperands posts(c.extra, seed + 7);
  std::vector<double> want(x.begin(), x.end());
  if (given.expands) {
    want = product(factor(want), c.x[0], c.x[1], c.x[2] * c.x[3], factor(w1), has_bias ? &b1 : nullptr, c.middle);
    apply_steps(want, {c.x[0], c.middle, c.x[2], c.x[3]}, c.post_expand, {}, {});
  }
  want = depthwise(c, want, w2, has_bias ? &b2 : nullptr);
  if (given.filters > 0) {
    apply_steps(want, {c.x[0], c.middle, c.out[2], c.out[3]}, c.post_depthwise, {}, {});
    want = product(factor(want), c.x[0], c.middle, c.out[2] * c.out[3], factor(w3), has_bias ? &b3 : nullptr, c.out[1]);
  }
  apply_steps(want, c.out, c.post, c.extra, posts.contents);

  const auto laid = relaid(x, c.x, Layout::Dense, Layout::ChannelsLast);
  const auto operand = [](const std::vector<float>& v, bool there) {
    return there ? const_cast<float*>(v.data()) : nullptr;
  };
  std::vector<void*> operands = {operand(laid, true),   nullptr, operand(b1, has_bias && given.expands),    nullptr,
                                 operand(b2, has_bias), nullptr, operand(b3, has_bias && given.filters > 0)};
  const OutputBefore output = posts.append_to(operands, -1, want.size());
  Constants constants;
  const auto kernel = separable_candidates()[0].make(c, constants);
  const auto got = run_at_widths(*kernel, operands, output.contents, output.aliased);
  expect_close(relaid(got, c.out, Layout::ChannelsLast, Layout::Dense), want,
               rounds ? 3e-3 : 2e-5,  // what is next to a tie may be rounded the other way
               what);
}

TEST(Separable, MatchesItsDefinition) {
  const Case cases[] = {
      {1, 16, 30, 30, 96, 24, {3, 3}, {2, 2}, {1, 1}, {1, 1}},   // strips, groups of rows
      {1, 24, 40, 13, 144, 24, {3, 3}, {1, 1}, {1, 1}, {1, 1}},  //
      {2, 12, 14, 14, 200, 36, {5, 5}, {1, 1}, {1, 1}, {2, 2}},  // by channels, the last panel narrow
      {1, 40, 7, 7, 240, 80, {5, 5}, {2, 2}, {1, 1}, {2, 2}},    //
      {1, 160, 7, 7, 960, 0, {3, 3}, {1, 1}, {1, 1}, {1, 1}},    // no product behind
      {2, 8, 60, 9, 72, 0, {3, 3}, {1, 1}, {1, 1}, {1, 1}},      //
      {1, 32, 56, 20, 32, 16, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false},
      {1, 130, 7, 6, 130, 70, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false},
      {1, 5, 40, 31, 9, 7, {7, 2}, {3, 1}, {1, 2}, {3, 1}},   // fewer channels than a vector has
      {1, 6, 50, 33, 20, 5, {2, 3}, {4, 3}, {2, 3}, {0, 4}},  // rows and columns that no window reads
      {1, 4, 3, 2, 70, 6, {3, 5}, {1, 1}, {1, 1}, {2, 3}},    // windows beyond both sides
  };
  unsigned seed = 1;
  for (const Case& c : cases) {
    check(c, seed += 10, true, {{.op = ElementOp::Clip, .a = 0, .b = 0.7f}}, {}, {});
    check(c, seed += 10, false, {{.op = ElementOp::Swish, .a = 1}}, {{.op = ElementOp::Relu}}, {});
    check(c, seed += 10, true, {}, {{.op = ElementOp::Add, .operand = 0}, {.op = ElementOp::HardSwish}}, {{}});
    check(c, seed += 10, true, {{.op = ElementOp::Relu}, {.op = ElementOp::Sigmoid}},
          {{.op = ElementOp::Mul, .operand = 0}}, {{.dims = {0}}});
  }
}

TEST(Separable, FactorsInBFloat16) {
  if (rounded_window_table() == nullptr) {
    SeparableConfig c;
    c.rounds = true;
    EXPECT_NE(separable_candidates()[0].refuses(c), "");
    GTEST_SKIP() << "the CPU has no dot products of bfloat16";
  }
  const Case cases[] = {
      {1, 16, 30, 30, 96, 24, {3, 3}, {2, 2}, {1, 1}, {1, 1}},   // strips, groups of rows
      {2, 12, 14, 14, 200, 36, {5, 5}, {1, 1}, {1, 1}, {2, 2}},  // by channels, the last panel narrow
      {1, 160, 7, 7, 960, 0, {3, 3}, {1, 1}, {1, 1}, {1, 1}},    // no product behind
      {1, 32, 56, 20, 32, 150, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false},
  };
  unsigned seed = 500;
  for (const Case& c : cases) {
    check(c, seed += 10, true, {{.op = ElementOp::Clip, .a = 0, .b = 0.7f}}, {}, {}, true);
    check(c, seed += 10, false, {{.op = ElementOp::Swish, .a = 1}}, {{.op = ElementOp::Relu}}, {}, true);
    check(c, seed += 10, true, {}, {{.op = ElementOp::Add, .operand = 0}, {.op = ElementOp::HardSwish}}, {{}}, true);
  }
}

TEST(Separable, RefusesWhatItCannotCount) {
  const float w[1] = {};
  SeparableConfig c;
  c.x = {1, 8, 9, 9};
  c.out = {1, 8, 9, 9};
  c.middle = 8;
  c.window = c.strides = c.dilations = {1, 1};
  c.pads_begin = {0, 0};
  EXPECT_NE(separable_candidates()[0].refuses(c), "");  // no weights
  c.weights[Stage::Depthwise] = {w};
  EXPECT_NE(separable_candidates()[0].refuses(c), "");  // nothing around
  c.weights[Stage::Project] = {w};
  EXPECT_EQ(separable_candidates()[0].refuses(c), "");
  c.dilations = {std::int64_t{1} << 62, 1};
  EXPECT_NE(separable_candidates()[0].refuses(c), "");
  c.dilations = {1, 1};
  c.pads_begin = {-1, 0};
  EXPECT_NE(separable_candidates()[0].refuses(c), "");
  c.pads_begin = {0, 0};
  c.post_depthwise = {{.op = ElementOp::Add, .operand = 0}};
  EXPECT_NE(separable_candidates()[0].refuses(c), "");
}

}  // namespace
}  // namespace norn::kernels
