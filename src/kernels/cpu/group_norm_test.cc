// Groups of channels against their means and variances in double.
#include "kernels/cpu/group_norm.h"

#include <cmath>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

void check(const GroupNormConfig& c, float offset, const std::string& what) {
  const std::int64_t images = c.x[0], channels = c.x[1], pixels = element_count(c.x) / (images * channels);
  auto x = random_floats(element_count(c.x), 3);
  for (float& v : x) v += offset;
  auto scale = random_floats(c.groups, 4), bias = random_floats(c.groups, 5);
  std::vector<float> want(x.size());
  const std::int64_t width = channels / c.groups;
  for (std::int64_t g = 0; g < images * c.groups; ++g) {
    const std::int64_t first = g * width * pixels, n = width * pixels;
    double mean = 0, variance = 0;
    for (std::int64_t i = first; i < first + n; ++i) mean += double(x[static_cast<std::size_t>(i)]) / double(n);
    for (std::int64_t i = first; i < first + n; ++i)
      variance += std::pow(x[static_cast<std::size_t>(i)] - mean, 2) / double(n);
    for (std::int64_t i = first; i < first + n; ++i)
      want[static_cast<std::size_t>(i)] =
          static_cast<float>((x[static_cast<std::size_t>(i)] - mean) / std::sqrt(variance + c.epsilon) *
                                 scale[static_cast<std::size_t>(g % c.groups)] +
                             bias[static_cast<std::size_t>(g % c.groups)]);
  }
  PostOperands posts(c.extra, 9);
  std::vector<double> wide(want.begin(), want.end());
  apply_steps(wide, c.x, c.post, c.extra, posts.contents);
  auto laid = relaid(x, c.x, Layout::Dense, c.layout);
  std::vector<void*> operands = {laid.data(), scale.data(), bias.data()};
  const OutputBefore output = posts.append_to(operands, -1, x.size());
  ASSERT_EQ(group_norm_candidates()[0].refuses(c), "") << what;
  Constants constants;
  const auto kernel = group_norm_candidates()[0].make(c, constants);
  const auto got = run_at_widths(*kernel, operands, output.contents, output.aliased);
  expect_close(relaid(got, c.x, c.layout, Layout::Dense), wide, offset == 0 ? 1e-5 : 1e-2, what);
  // The output in place of x.
  operands.push_back(laid.data());
  std::vector<char> scratch(kernel->scratch_bytes() + 64);
  kernel->run(operands.data(), scratch.data() + (64 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 64) % 64);
  EXPECT_EQ(laid, got) << what;
}

TEST(GroupNorm, ShapesAndSteps) {
  struct Case {
    Shape x;
    std::int64_t groups;
  };
  for (const Case& shape :
       {Case{{1, 32, 9, 7}, 8}, Case{{2, 128, 33}, 1}, Case{{3, 17, 5, 6}, 17}, Case{{1, 6, 1, 1}, 3},
        Case{{1, 90, 70, 70}, 30}, Case{{2, 8, 4, 5, 6}, 2}, Case{{1, 1, 40, 50}, 1}, Case{{1, 2500, 3, 2}, 4}}) {
    GroupNormConfig c;
    c.x = shape.x;
    c.groups = shape.groups;
    const Shape row = [&] {
      Shape dims(c.x.size() - 1, 1);
      dims[0] = c.x[1];
      return dims;
    }();
    const std::string what = to_string(c.x) + " by " + std::to_string(c.groups);
    check(c, 0, what);
    check(c, 300, what + ", far from 0");
    c.extra = {{row}, {row}, {c.x, Layout::ChannelsLast}, {{}}};
    const std::vector<std::vector<ElementStep>> steps = {
        {{ElementOp::Mul, 0, 0, 0}, {ElementOp::Add, 0, 0, 1}},
        {{ElementOp::Mul, 0, 0, 0}, {ElementOp::Add, 0, 0, 1}, {ElementOp::Swish, 1}},
        {{ElementOp::Add, 0, 0, 1}, {ElementOp::Relu}},
        {{ElementOp::Mul, 0, 0, 0}, {ElementOp::Relu}, {ElementOp::Add, 0, 0, 2}},
        {{ElementOp::Add, 0, 0, 2}, {ElementOp::Mul, 0, 0, 0}},
        {{ElementOp::Mul, 0, 0, 3}, {ElementOp::Add, 0, 0, 1}},
        {{ElementOp::Mul, 0, 0, 1}, {ElementOp::Sub, 0, 0, 0, true}}};
    for (const auto& post : steps) {
      c.post = post;
      check(c, 0, what + ", then op " + std::to_string(static_cast<int>(post[0].op)));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(GroupNorm, Refusals) {
  const auto refusal = [](const GroupNormConfig& c) { return group_norm_candidates()[0].refuses(c); };
  EXPECT_NE(refusal({.x = {1, 4, 0}, .groups = 2, .post = {}, .extra = {}}), "");
  EXPECT_NE(refusal({.x = {1, 4, 3}, .groups = 3, .post = {}, .extra = {}}), "");
  EXPECT_NE(refusal({.x = {1, 4, 3}, .layout = Layout::Dense, .groups = 2, .post = {}, .extra = {}}), "");
  EXPECT_NE(refusal({.x = {1, 4, 3, 5}, .groups = 2, .post = {{ElementOp::Add, 0, 0, 0}}, .extra = {{{3, 5}}}}), "");
}

}  // namespace
}  // namespace norn::kernels
