// Every convolution candidate against seven nested loops in double.
#include "kernels/cpu/conv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/number.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/separable.h"

namespace norn::kernels {
namespace {

using namespace test;

struct Case {
  Shape x, w;
  std::int64_t group;
  Shape strides, dilations, begin, end;
};

ConvConfig config_of(const Case& c) {
  ConvConfig config{.x = c.x,
                    .w = c.w,
                    .group = c.group,
                    .strides = c.strides,
                    .dilations = c.dilations,
                    .pads_begin = c.begin,
                    .pads_end = c.end};
  config.out = {c.x[0], c.w[0]};
  for (std::size_t d = 0; d < c.strides.size(); ++d)
    config.out.push_back((c.x[d + 2] + c.begin[d] + c.end[d] - (c.w[d + 2] - 1) * c.dilations[d] - 1) / c.strides[d] +
                         1);
  return config;
}

std::vector<double> plain(const ConvConfig& c, const std::vector<float>& x, const std::vector<float>& w,
                          const std::vector<float>& bias) {
  const auto in = spatial(c.x, 2, 1), out = spatial(c.out, 2, 1), k = spatial(c.w, 2, 1), s = spatial(c.strides, 0, 1),
             dl = spatial(c.dilations, 0, 1), p = spatial(c.pads_begin, 0, 0);
  const std::int64_t cg = c.w[1], mg = c.w[0] / c.group;
  std::vector<double> result;
  for (std::int64_t n = 0; n < c.x[0]; ++n)
    for (std::int64_t m = 0; m < c.w[0]; ++m)
      for (std::int64_t o0 = 0; o0 < out[0]; ++o0)
        for (std::int64_t o1 = 0; o1 < out[1]; ++o1)
          for (std::int64_t o2 = 0; o2 < out[2]; ++o2) {
            double sum = c.has_bias ? bias[static_cast<std::size_t>(m)] : 0;
            for (std::int64_t ch = 0; ch < cg; ++ch)
              for (std::int64_t k0 = 0; k0 < k[0]; ++k0)
                for (std::int64_t k1 = 0; k1 < k[1]; ++k1)
                  for (std::int64_t k2 = 0; k2 < k[2]; ++k2) {
                    const std::int64_t i0 = o0 * s[0] - p[0] + k0 * dl[0], i1 = o1 * s[1] - p[1] + k1 * dl[1],
                                       i2 = o2 * s[2] - p[2] + k2 * dl[2];
                    if (i0 < 0 || i1 < 0 || i2 < 0 || i0 >= in[0] || i1 >= in[1] || i2 >= in[2]) continue;
                    const std::int64_t channel = m / mg * cg + ch;
                    sum += double(x[static_cast<std::size_t>(
                               (((n * c.x[1] + channel) * in[0] + i0) * in[1] + i1) * in[2] + i2)]) *
                           w[static_cast<std::size_t>((((m * cg + ch) * k[0] + k0) * k[1] + k1) * k[2] + k2)];
                  }
            result.push_back(sum);
          }
  return result;
}

std::vector<float> to_bfloat16(std::vector<float> values) {
  for (float& v : values) v = base::bfloat16_to_float(base::float_to_bfloat16(v));
  return values;
}

// Runs each candidate that accepts; says how many did. `rounding`: those that round the factors to bfloat16.
int check(ConvConfig config, bool constant, unsigned seed, const std::string& what, bool rounding = false) {
  const auto x = random_floats(element_count(config.x), seed),
             w = random_floats(element_count(config.w), seed + 1, -0.3f, 0.3f),
             bias = random_floats(config.w[0], seed + 2);
  config.weights = {constant ? w.data() : nullptr};
  config.bias = constant && config.has_bias ? bias.data() : nullptr;
  PostOperands posts(config.extra, seed + 3);
  auto want = rounding ? plain(config, to_bfloat16(x), to_bfloat16(w), bias) : plain(config, x, w, bias);
  apply_steps(want, config.out, config.post, config.extra, posts.contents);
  const auto laid_x = relaid(x, config.x, Layout::Dense, config.x_layout);
  std::vector<void*> operands = {const_cast<float*>(laid_x.data()), const_cast<float*>(w.data()),
                                 config.has_bias ? const_cast<float*>(bias.data()) : nullptr};
  const OutputBefore output = posts.append_to(operands, config.in_place_extra, want.size());
  // The error of a sum of many products grows like the root of their number.
  const std::int64_t products = element_count(config.w) / config.w[0];
  const double longer = std::max(1.0, std::sqrt(static_cast<double>(products) / 2048));
  int accepted = 0;
  for (const auto& candidate : rounding ? conv_bf16_candidates() : conv_candidates()) {
    if (!candidate.refuses(config).empty()) continue;
    ++accepted;
    Constants constants;
    auto kernel = candidate.make(config, constants);
    const auto got = run_at_widths(*kernel, operands, output.contents, output.aliased);
    expect_close(relaid(got, config.out, config.out_layout, Layout::Dense), want,
                 longer * (candidate.name == "winograd" ? 5e-5 : 2e-5),  // its transforms round, too
                 what + " by " + std::string(candidate.name));
  }
  return accepted;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {{1, 3, 23, 19}, {16, 3, 7, 7}, 1, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
      {{1, 16, 14, 14}, {32, 16, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 7, 9, 13}, {13, 7, 3, 2}, 1, {1, 2}, {1, 1}, {0, 1}, {2, 0}},
      {{1, 64, 15, 15}, {48, 64, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{3, 32, 8, 8}, {24, 32, 1, 1}, 1, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 5, 17, 17}, {6, 5, 3, 3}, 1, {1, 1}, {2, 3}, {2, 3}, {2, 3}},
      {{1, 32, 20, 20}, {32, 1, 3, 3}, 32, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 24, 13, 11}, {24, 1, 5, 5}, 24, {2, 2}, {1, 1}, {2, 2}, {2, 2}},
      {{1, 8, 10, 10}, {16, 1, 3, 3}, 8, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 32, 9, 9}, {64, 8, 3, 3}, 4, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 6, 9, 9}, {9, 2, 3, 3}, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 5, 31}, {7, 5, 4}, 1, {3}, {1}, {2}, {1}},
      {{1, 4, 6, 7, 8}, {10, 4, 3, 2, 3}, 1, {1, 2, 1}, {1, 1, 1}, {1, 0, 1}, {1, 1, 1}},
      {{1, 2, 3, 3}, {4, 2, 3, 3}, 1, {1, 1}, {1, 1}, {4, 4}, {4, 4}},
      {{1, 1, 1, 1}, {1, 1, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 128, 28, 28}, {64, 128, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},  // cut by rows
      {{1, 256, 7, 7}, {512, 256, 1, 3}, 1, {1, 1}, {1, 1}, {0, 1}, {0, 1}},   // cut by channels
      {{1, 512, 7, 7}, {200, 512, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{40, 16, 12, 12}, {32, 16, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},  // cut by images
      {{2, 64, 27, 27}, {64, 64, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 20, 37, 41}, {50, 20, 3, 3}, 1, {1, 1}, {1, 1}, {0, 2}, {3, 0}},  // vectors that are not full
      {{2, 64, 9, 10}, {160, 64, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},  // few tiles: cut by channels
      {{3, 48, 62, 33}, {17, 48, 3, 3}, 1, {1, 1}, {1, 1}, {1, 0}, {1, 5}},  // many: cut by blocks
      // Planes, some of which are several bands; rows of several vectors, windows in the padding, gaps.
      {{2, 5, 70, 61}, {5, 1, 3, 3}, 5, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 3, 41, 200}, {3, 1, 3, 3}, 3, {1, 1}, {3, 2}, {3, 2}, {3, 2}},
      {{1, 4, 5, 30}, {4, 1, 1, 9}, 4, {1, 1}, {1, 1}, {0, 4}, {0, 4}},
      {{3, 2, 1, 12}, {2, 1, 9, 1}, 2, {1, 1}, {1, 1}, {4, 0}, {4, 0}},
      {{1, 2, 3, 2}, {2, 1, 3, 3}, 2, {1, 1}, {1, 1}, {9, 7}, {5, 20}},
      {{1, 1, 20, 13}, {1, 1, 2, 2}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 3, 20, 37}, {12, 1, 3, 3}, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}},  // several filters of a channel
      {{2, 5, 300}, {10, 1, 3}, 5, {1}, {2}, {2}, {1}},                    // lines
      {{1, 3, 31}, {3, 1, 9}, 3, {1}, {1}, {4}, {4}},
      {{2, 3, 20, 37}, {3, 1, 5, 5}, 3, {1, 1}, {1, 1}, {2, 2}, {2, 2}},  // larger windows, few channels
      {{1, 2, 33, 59}, {2, 1, 7, 7}, 2, {1, 1}, {1, 1}, {3, 3}, {3, 3}},
      {{1, 8, 12, 35}, {8, 1, 9, 9}, 8, {1, 1}, {1, 1}, {4, 4}, {4, 4}},
      {{1, 4, 40, 66}, {4, 1, 7, 7}, 4, {1, 1}, {2, 2}, {6, 6}, {6, 6}},
      // With strides of 2, and of one pixel.
      {{2, 5, 41, 33}, {5, 1, 3, 3}, 5, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 3, 90, 131}, {3, 1, 5, 5}, 3, {2, 2}, {1, 1}, {2, 1}, {1, 2}},  // several bands
      {{2, 3, 26, 50}, {6, 1, 3, 3}, 3, {2, 2}, {2, 1}, {1, 0}, {2, 1}},
      {{1, 4, 9, 40}, {4, 1, 2, 2}, 4, {1, 2}, {1, 3}, {0, 1}, {1, 0}},
      {{2, 3, 41, 40}, {3, 1, 2, 4}, 3, {2, 1}, {3, 1}, {4, 2}, {0, 3}},
      {{2, 3, 25, 40}, {3, 1, 1, 3}, 3, {2, 1}, {1, 1}, {0, 1}, {0, 1}},
      {{1, 3, 61}, {6, 1, 5}, 3, {2}, {1}, {7}, {2}},
      {{1, 3, 30, 26}, {3, 1, 1, 1}, 3, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 4, 5, 7, 3}, {4, 1, 1, 1, 1}, 4, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
      {{3, 7, 3, 5}, {14, 1, 1, 1}, 7, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      // Elements three to seven apart; pixels that are read where they lie.
      {{1, 4, 9, 90}, {9, 4, 3, 5}, 1, {2, 3}, {1, 1}, {1, 2}, {1, 1}},
      {{1, 5, 11, 70}, {6, 5, 3, 4}, 1, {1, 4}, {1, 1}, {1, 3}, {1, 0}},
      {{2, 3, 83}, {5, 3, 10}, 1, {5}, {1}, {2}, {4}},
      {{1, 3, 30, 31}, {8, 3, 7, 7}, 1, {7, 7}, {1, 1}, {1, 0}, {0, 3}},
      {{1, 2, 3, 50}, {3, 2, 1, 2}, 1, {1, 6}, {1, 5}, {0, 0}, {0, 1}},
      {{2, 40, 9, 9}, {20, 40, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 200, 7, 11}, {9, 200, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      // As many outputs as pixels, which are not those at their places.
      {{2, 8, 40}, {6, 8, 1}, 1, {2}, {1}, {20}, {20}},
      {{1, 8, 10, 40}, {6, 8, 1, 1}, 1, {2, 1}, {1, 1}, {5, 0}, {5, 0}},
      {{1, 8, 10, 40}, {6, 8, 1, 1}, 1, {1, 3}, {1, 1}, {0, 20}, {0, 60}},
      {{1, 9, 5, 2, 26}, {9, 1, 1, 1, 1}, 9, {2, 1, 1}, {1, 1, 1}, {4, 0, 0}, {1, 0, 0}},
      {{1, 12, 4}, {12, 4, 1}, 3, {2}, {1}, {4}, {0}},
      {{1, 3, 22}, {8, 3, 1}, 1, {7}, {1}, {0}, {0}},
      {{1, 2, 150, 120}, {2, 1, 1, 1}, 2, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      // Padding behind the image alone.
      {{2, 4, 6, 7}, {8, 4, 1, 1}, 1, {1, 2}, {1, 1}, {0, 0}, {3, 0}},
      {{1, 20, 9, 17}, {7, 20, 1, 1}, 1, {2, 3}, {1, 1}, {0, 0}, {1, 9}},
      {{2, 3, 25, 40}, {3, 1, 1, 3}, 3, {2, 1}, {1, 1}, {0, 1}, {6, 1}},
      {{1, 3, 7, 40}, {3, 1, 1, 1}, 3, {1, 2}, {1, 1}, {0, 0}, {2, 7}},
      // Groups of few channels.
      {{2, 32, 9, 31}, {32, 4, 3, 3}, 8, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 24, 11, 15}, {24, 8, 3, 3}, 3, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 18, 6, 40}, {18, 2, 3, 3}, 9, {3, 1}, {1, 1}, {0, 2}, {2, 0}},
      {{2, 32, 300}, {64, 32, 3}, 1, {1}, {1}, {1}, {1}},  // lines
      {{1, 32, 150}, {32, 32, 7}, 1, {1}, {5}, {15}, {14}},
      {{1, 16, 401}, {96, 16, 4}, 1, {2}, {1}, {0}, {3}},
      {{1, 32, 4}, {32, 32, 9}, 1, {1}, {1}, {4}, {4}},
      {{1, 32, 1, 90}, {32, 32, 1, 5}, 1, {1, 3}, {1, 1}, {0, 2}, {0, 2}},
      {{1, 32, 1, 90}, {32, 32, 1, 3}, 1, {2, 1}, {1, 1}, {1, 1}, {0, 1}},  // a row of padding alone
      {{1, 70, 15, 13}, {70, 1, 7, 7}, 70, {1, 1}, {1, 1}, {3, 3}, {3, 3}},
      {{2, 24, 30, 21}, {24, 1, 5, 7}, 24, {1, 2}, {2, 1}, {4, 3}, {4, 2}},
      // Depthwise, channels last: columns of 3, 5 and 7, few pixels, blocks of channels, vectors that are not full.
      {{1, 33, 9, 14}, {33, 1, 5, 5}, 33, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
      {{2, 300, 7, 7}, {300, 1, 7, 7}, 300, {1, 1}, {1, 1}, {3, 3}, {3, 3}},
      {{1, 48, 11, 25}, {48, 1, 7, 7}, 48, {2, 2}, {1, 1}, {3, 3}, {2, 3}},
      {{1, 160, 10, 15}, {160, 1, 3, 3}, 160, {2, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{2, 20, 5, 2}, {20, 1, 2, 5}, 20, {1, 1}, {3, 1}, {2, 4}, {1, 3}},
      {{1, 17, 3, 1}, {17, 1, 3, 7}, 17, {1, 2}, {1, 1}, {1, 3}, {1, 3}},
      {{1, 16, 40, 12}, {16, 1, 16, 3}, 16, {3, 1}, {2, 1}, {0, 3}, {9, 0}},
      {{1, 20, 70, 5}, {20, 1, 65, 1}, 20, {1, 2}, {1, 3}, {32, 1}, {32, 0}},
      {{2, 33, 5, 9, 14}, {33, 1, 3, 3, 3}, 33, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 150, 4, 6, 7}, {150, 1, 3, 2, 5}, 150, {2, 1, 2}, {1, 2, 1}, {2, 0, 3}, {0, 3, 1}},
      {{1, 24, 8, 6, 7}, {48, 1, 5, 1, 1}, 24, {1, 1, 1}, {1, 1, 1}, {2, 0, 0}, {2, 0, 0}},
      // Windows over volumes that are sums over planes; some taps lie in the padding for many pixels.
      {{2, 36, 5, 14, 19}, {48, 36, 3, 3, 3}, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 64, 6, 9, 8}, {70, 64, 2, 3, 3}, 1, {1, 1, 1}, {1, 1, 1}, {0, 2, 1}, {3, 0, 1}},
      {{1, 48, 2, 12, 12}, {64, 48, 5, 3, 3}, 1, {1, 1, 1}, {1, 1, 1}, {4, 1, 1}, {2, 1, 1}},
      {{3, 32, 4, 24, 10}, {32, 32, 1, 3, 3}, 1, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}},
      {{1, 32, 4, 13, 14}, {32, 32, 3, 3, 3}, 1, {2, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 12, 21, 18, 22}, {12, 12, 3, 3, 3}, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},  // blocks of planes
      {{2, 24, 17, 9, 13}, {24, 24, 2, 3, 3}, 1, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
      // Windows by the addresses of pixels.
      {{1, 3, 40, 37}, {32, 3, 3, 3}, 1, {2, 2}, {1, 1}, {0, 1}, {1, 1}},  // lines of few channels
      {{2, 1, 19, 8}, {64, 1, 5, 4}, 1, {1, 3}, {2, 1}, {4, 2}, {0, 1}},
      {{1, 12, 5, 9, 7}, {48, 12, 3, 2, 3}, 1, {2, 1, 1}, {1, 1, 1}, {1, 0, 2}, {1, 1, 2}},
      {{1, 512, 7, 7}, {80, 512, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},  // weights in parts
      {{2, 26, 15, 13}, {143, 26, 3, 5}, 1, {2, 1}, {1, 2}, {1, 4}, {1, 3}},
      {{2, 64, 9, 11}, {64, 16, 3, 3}, 4, {1, 2}, {1, 1}, {1, 1}, {1, 1}},  // groups
      {{1, 128, 21, 18}, {128, 64, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 210, 14, 17}, {153, 70, 3, 3}, 3, {1, 1}, {1, 1}, {0, 2}, {1, 0}},
      {{1, 72, 6, 13, 10}, {72, 36, 3, 3, 3}, 2, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 60, 12, 12}, {240, 20, 3, 3}, 3, {1, 1}, {3, 3}, {3, 3}, {3, 3}},
      // Several filters for each channel.
      {{2, 24, 13, 15}, {48, 1, 7, 7}, 24, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
      {{1, 10, 9, 40}, {30, 1, 2, 3}, 10, {1, 1}, {2, 1}, {1, 1}, {1, 1}},
      {{1, 5, 6, 8}, {45, 1, 5, 5}, 5, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
      // Panels of patches: many panels, the last one narrow; several blocks of channels; short lines; any stride;
      // windows of more than 64 elements; gaps; groups.
      {{1, 40, 19, 21}, {50, 40, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 390, 5, 7}, {13, 390, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 70, 9, 11}, {30, 70, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 30, 9, 67}, {26, 30, 1, 1}, 1, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 3, 40, 37}, {64, 3, 4, 4}, 1, {4, 4}, {1, 1}, {0, 1}, {0, 2}},
      {{1, 7, 31, 90}, {25, 7, 2, 3}, 1, {1, 3}, {3, 5}, {2, 4}, {1, 9}},
      {{1, 2, 40, 45}, {14, 2, 9, 10}, 1, {1, 2}, {1, 1}, {4, 5}, {4, 5}},
      {{1, 3, 300}, {70, 3, 5}, 1, {2}, {1}, {2}, {2}},
      {{1, 9, 6, 7, 35}, {12, 9, 2, 1, 3}, 1, {1, 2, 2}, {2, 1, 1}, {1, 0, 1}, {0, 0, 1}},
      {{3, 12, 5, 1}, {60, 4, 3, 1}, 3, {1, 1}, {1, 1}, {1, 0}, {1, 0}},
      {{1, 1024, 6, 6}, {20, 1024, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      // Planes with padding, whose rows fill vectors: strides, gaps, volumes, groups, padding that few windows reach.
      {{2, 3, 33, 62}, {20, 3, 7, 7}, 1, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
      {{1, 5, 19, 34}, {9, 5, 3, 3}, 1, {3, 1}, {2, 2}, {2, 1}, {0, 2}},
      {{1, 40, 7, 62}, {30, 40, 2, 3}, 1, {1, 2}, {1, 3}, {1, 5}, {0, 1}},
      {{2, 4, 5, 9, 29}, {6, 4, 2, 3, 3}, 1, {1, 2, 1}, {2, 1, 1}, {1, 0, 1}, {1, 1, 1}},
      {{1, 32, 9, 30}, {48, 16, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 2, 40, 27}, {14, 2, 3, 6}, 1, {1, 1}, {1, 1}, {2, 9}, {0, 1}},
      {{1, 4, 95}, {11, 4, 5}, 1, {2}, {1}, {0}, {3}},
      // Depthwise, with more padding than there are pixels at a time.
      {{2, 37, 14, 14}, {37, 1, 7, 7}, 37, {1, 1}, {3, 3}, {9, 9}, {9, 9}},
      {{1, 64, 9, 19}, {64, 1, 3, 7}, 64, {4, 4}, {1, 3}, {1, 3}, {1, 3}},
      {{1, 20, 5, 23}, {40, 1, 3, 10}, 20, {2, 1}, {2, 2}, {2, 9}, {2, 7}},
      {{1, 18, 4, 6, 8}, {18, 1, 2, 3, 4}, 18, {1, 1, 5}, {2, 1, 3}, {1, 1, 6}, {1, 1, 6}},
      // Few filters: lanes are of one pixel's elements.
      {{2, 48, 17, 13}, {3, 48, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 100, 9, 11}, {1, 100, 4, 4}, 1, {1, 2}, {1, 1}, {2, 1}, {1, 2}},
      {{1, 5, 12, 33}, {2, 5, 3, 7}, 1, {1, 1}, {2, 1}, {3, 3}, {3, 3}},
      {{1, 8, 200}, {1, 8, 7}, 1, {1}, {1}, {3}, {3}},
      {{1, 21, 4, 6, 9}, {4, 21, 3, 2, 3}, 1, {1, 1, 2}, {1, 1, 1}, {1, 0, 1}, {1, 1, 1}},
      {{2, 150, 8, 8}, {4, 150, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 4000, 5, 5}, {2, 4000, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},  // weights in parts
      {{1, 40, 3, 7}, {40, 4, 3, 3}, 10, {1, 2}, {1, 1}, {2, 2}, {2, 2}},
  };
  return all;
}

TEST(Conv, ShapesAndLayouts) {
  unsigned seed = 1;
  for (const Case& c : cases()) {
    for (Layout in : {Layout::Dense, Layout::ChannelsLast}) {
      for (Layout out : {Layout::Dense, Layout::ChannelsLast}) {
        ConvConfig config = config_of(c);
        config.x_layout = in;
        config.out_layout = out;
        config.has_bias = seed % 3 != 0;
        const std::string what = to_string(c.x) + " * " + to_string(c.w);
        EXPECT_GE(check(config, true, ++seed, what), 1) << what;
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Conv, WeightsThatAreNotConstant) {
  unsigned seed = 100;
  for (const Case& c : cases()) {
    for (const Layout layout : {Layout::ChannelsLast, Layout::Dense}) {
      ConvConfig config = config_of(c);
      config.x_layout = config.out_layout = layout;
      config.has_bias = true;
      EXPECT_GE(check(config, false, ++seed, to_string(c.x) + " * " + to_string(c.w)), 1);
      if (HasFailure()) return;
    }
  }
}

TEST(Conv, StepsThatFollow) {
  const std::vector<std::vector<ElementStep>> steps = {{{ElementOp::Relu}},
                                                       {{ElementOp::Clip, 0, 0.5f}},
                                                       {{ElementOp::Swish, 1}},
                                                       {{ElementOp::LeakyRelu, 0.1f}},
                                                       {{ElementOp::HardSwish}},
                                                       {{ElementOp::HardSigmoid, 0.2f, 0.5f}},
                                                       {{ElementOp::Elu, 1}},
                                                       {{ElementOp::Tanh}},
                                                       {{ElementOp::Sigmoid}},
                                                       {{ElementOp::Gelu}},
                                                       {{ElementOp::GeluTanh}},
                                                       {{ElementOp::Softplus}},
                                                       {{ElementOp::Erf}},
                                                       {{ElementOp::Sigmoid}, {ElementOp::Sqrt}},
                                                       {{ElementOp::Neg}, {ElementOp::Tanh}, {ElementOp::Exp}},
                                                       {{ElementOp::Add, 0, 0, 0}, {ElementOp::Relu}},
                                                       {{ElementOp::Mul, 0, 0, 1}, {ElementOp::Add, 0, 0, 2}},
                                                       {{ElementOp::Sub, 0, 0, 0, true}},
                                                       {{ElementOp::Max, 0, 0, 1}, {ElementOp::Div, 0, 0, 0}},
                                                       {{ElementOp::Mul, 0, 0, 3}}};
  unsigned seed = 300;
  const std::size_t last = cases().size() - 1;
  for (const std::size_t which : {std::size_t{1}, std::size_t{6}, std::size_t{9}, std::size_t{15}, std::size_t{16},
                                  std::size_t{18}, last - 7, last}) {
    for (const auto& post : steps) {
      // The large ones, cut into slices, with a few of the steps.
      if (which >= 15 && which < last - 7 && &post != &steps[0] && post.size() < 2) continue;
      for (Layout layout : {Layout::Dense, Layout::ChannelsLast}) {
        ConvConfig config = config_of(cases()[which]);
        config.x_layout = config.out_layout = layout;
        config.has_bias = true;
        config.post = post;
        const std::int64_t m = config.out[1];
        config.extra = {{config.out, layout}, {{m, 1, 1}}, {{}}, {{config.out[2], 1}}};
        // Extras are given in their own layout, which the plain loop reads by strides.
        EXPECT_GE(check(config, true, ++seed, to_string(config.x) + " then op " + std::to_string(int(post[0].op))), 1);
        if (HasFailure()) return;
      }
    }
  }
}

// What is not finite stays with the outputs that read it.
void check_not_finite(const Case& shape) {
  for (const float odd : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 3e38f}) {
    ConvConfig config = config_of(shape);
    config.x_layout = config.out_layout = Layout::ChannelsLast;
    config.post = {{ElementOp::Relu}};
    auto x = random_floats(element_count(config.x), 5);
    auto w = random_floats(element_count(config.w), 6, -0.3f, 0.3f);
    x[5] = x[28 * 28 + 400] = x[28 * 28 * 77 + 700] = odd;
    config.weights = {w.data()};
    const auto sums = plain(config, x, w, {});
    const auto laid_x = relaid(x, config.x, Layout::Dense, config.x_layout);
    for (const auto& candidate : conv_candidates()) {
      if (!candidate.refuses(config).empty()) continue;
      Constants constants;
      auto kernel = candidate.make(config, constants);
      const auto got = run_at_widths(*kernel, {const_cast<float*>(laid_x.data()), w.data(), nullptr},
                                     std::vector<float>(sums.size()));
      const auto outputs = relaid(got, config.out, config.out_layout, Layout::Dense);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        if (std::isnan(sums[i])) {
          ASSERT_TRUE(std::isnan(outputs[i])) << candidate.name << " at " << i;
        } else if (std::abs(sums[i]) < 1e30) {
          ASSERT_NEAR(outputs[i], std::max(sums[i], 0.0), 1e-3) << candidate.name << " at " << i;
        }
      }
    }
  }
}
TEST(Conv, NotFinite) {
  check_not_finite(cases()[15]);
  check_not_finite({{1, 128, 28, 28}, {128, 64, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
}

// Every output is as precise as the products that it adds up, beside whatever it does not read.
void check_digits(const ConvConfig& shape, const std::vector<float>& x, const std::vector<float>& w,
                  const std::string& what, int winograds_wanted = 1) {
  ConvConfig config = shape;
  config.x_layout = config.out_layout = Layout::ChannelsLast;
  config.weights = {w.data()};
  const auto absolute = [](std::vector<float> values) {
    for (float& v : values) v = std::abs(v);
    return values;
  };
  const auto sums = plain(config, x, w, {}), sizes = plain(config, absolute(x), absolute(w), {});
  const auto laid_x = relaid(x, config.x, Layout::Dense, config.x_layout);
  int winograds = 0;
  for (const auto& candidate : conv_candidates()) {
    if (!candidate.refuses(config).empty()) continue;
    winograds += candidate.name == "winograd";
    Constants constants;
    auto kernel = candidate.make(config, constants);
    const auto got = run_at_widths(*kernel, {const_cast<float*>(laid_x.data()), const_cast<float*>(w.data()), nullptr},
                                   std::vector<float>(sums.size()));
    const auto outputs = relaid(got, config.out, config.out_layout, Layout::Dense);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_NEAR(outputs[i], sums[i], 5e-6 * sizes[i]) << what << ", " << candidate.name << " at " << i;
  }
  EXPECT_EQ(winograds, winograds_wanted) << what;
}
TEST(Conv, LargeElementsTakeNoDigitsOfOthers) {
  for (const std::int64_t channels : {16, 100}) {
    const ConvConfig config =
        config_of({{1, channels, 16, 14}, {40, channels, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    const auto x = random_floats(element_count(config.x), 7),
               w = random_floats(element_count(config.w), 8, -0.3f, 0.3f);
    const std::string what = std::to_string(channels) + " channels";
    check_digits(config, x, w, what);
    for (const float odd : {1e3f, -1e9f, 1e30f}) {
      auto one = x, some = x, all = x, zeros = std::vector<float>(x.size());
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        const std::size_t at = c * 16 * 14 + 9 * 14 + 6;
        if (c == 5) one[at] = odd;
        if (c % 8 == 3) some[at] = some[at + 1] = some[at - 50] = odd;
        all[at] = zeros[at] = odd;
      }
      const std::string with = what + " and " + std::to_string(odd);
      check_digits(config, one, w, with + " in one");
      check_digits(config, some, w, with + " in some");
      check_digits(config, all, w, with + " in all");
      check_digits(config, zeros, w, with + " alone");
    }
    // Elements whose squares leave f32.
    for (const auto& [of_x, of_w] : {std::pair{1e20f, 1.0f}, {1e-24f, 1.0f}, {1.0f, 1e-24f}}) {
      auto scaled_x = x, scaled_w = w;
      for (std::size_t i = 0; i < x.size(); ++i) scaled_x[i] *= of_x * (i % (16 * 14) == 9 * 14 + 6 ? 1e4f : 1.0f);
      for (float& v : scaled_w) v *= of_w;
      check_digits(config, scaled_x, scaled_w, what + " times " + std::to_string(of_x * of_w));
    }
    // Taps that padding hides at some edges.
    for (const std::size_t tap : {0u, 5u})
      for (const float odd : {1e3f, 1e6f}) {
        auto uneven = w;
        for (std::size_t i = 0; i < w.size(); i += 9) {
          uneven[i + tap] *= odd;
          uneven[i + tap + 3] *= odd;
        }
        check_digits(config, x, uneven, what + ", large taps " + std::to_string(tap) + " and the one below");
      }
  }
}
TEST(Conv, FiltersThatReadFewElementsKeepTheirDigits) {
  for (const std::int64_t channels : {16, 100}) {
    const ConvConfig config =
        config_of({{1, channels, 16, 14}, {140, channels, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    auto x = random_floats(element_count(config.x), 7);
    const auto w = random_floats(element_count(config.w), 8, -0.3f, 0.3f);
    const auto size = static_cast<std::size_t>(channels) * 9;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= i / 14 % 2 == 0 ? 1e-3f : 1.0f;  // every second line is small
    const std::string what = std::to_string(channels) + " channels, ";
    auto identity = w, heavy = w;
    for (std::size_t c = 0; c < size; c += 9) {
      std::fill_n(&identity[size + c], 9, 0.0f);
      heavy[size + c + 4] *= 1e3f;
    }
    identity[size + 22] = 1;
    check_digits(config, x, identity, what + "one reads one element");
    check_digits(config, x, heavy, what + "one has one large tap");
    for (std::size_t i = 0; i < w.size(); i += 9) heavy[i + 4] *= 1e3f;
    check_digits(config, x, heavy, what + "all have one large tap", 0);
  }
}

// Outputs at the ends of a volume read some of its planes only.
TEST(Conv, PlanesOfAVolumeKeepTheirDigits) {
  const ConvConfig config =
      config_of({{1, 32, 4, 16, 14}, {40, 32, 3, 3, 3}, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  const std::size_t plane = 16 * 14, channel = 4 * plane, filter = 32 * 27;
  const auto x = random_floats(element_count(config.x), 7), w = random_floats(element_count(config.w), 8, -0.3f, 0.3f);
  check_digits(config, x, w, "a volume");
  for (const float odd : {1e3f, -1e9f, 1e30f})
    for (std::size_t z = 0; z < 4; ++z) {
      auto pixel = x, whole = x;
      for (std::size_t c = 0; c < 32; ++c) {
        pixel[c * channel + z * plane + 9 * 14 + 6] = odd;
        for (std::size_t i = 0; i < plane; ++i) whole[c * channel + z * plane + i] *= odd;
      }
      const std::string with = std::to_string(odd) + " in plane " + std::to_string(z);
      check_digits(config, pixel, w, "a pixel of " + with);
      check_digits(config, whole, w, with);
    }
  auto small = x;  // every second line
  for (std::size_t i = 0; i < small.size(); ++i) small[i] *= i / 14 % 2 == 0 ? 1e-3f : 1.0f;
  for (std::size_t depth = 0; depth < 3; ++depth) {
    auto identity = w, taps = w;
    for (std::size_t c = 0; c < 32; ++c) std::fill_n(&identity[filter + c * 27 + depth * 9], 9, 0.0f);
    identity[filter + 5 * 27 + depth * 9 + 4] = 1;
    check_digits(config, small, identity, "one reads one element of plane " + std::to_string(depth));
    for (std::size_t i = 0; i < w.size(); i += 27) {
      taps[i + depth * 9 + 2] *= 1e5f;
      taps[i + depth * 9 + 5] *= 1e5f;
    }
    check_digits(config, x, taps, "large taps of plane " + std::to_string(depth));
  }
}

TEST(Conv, ASumInPlace) {
  unsigned seed = 900;
  for (const std::size_t which : {1u, 3u, 6u, 15u, 16u, 18u}) {
    ConvConfig config = config_of(cases()[which]);
    config.x_layout = config.out_layout = Layout::ChannelsLast;
    config.post = {{ElementOp::Add, 0, 0, 0}, {ElementOp::Sigmoid}};
    config.extra = {{config.out, Layout::ChannelsLast}};
    config.in_place_extra = 0;
    const int accepted = check(config, true, ++seed, to_string(config.x) + " in place");
    if (conv_candidates().size() > 1) {
      EXPECT_EQ(accepted, 1);
    }
  }
}

TEST(Conv, WindowsOfOnePixel) {
  const std::vector<Case> shapes = {
      {{2, 20, 7, 9}, {48, 20, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},  // a tile of two images
      {{1, 64, 50}, {143, 64, 1}, 1, {1}, {3}, {0}, {0}},
      {{3, 17, 9, 10}, {256, 17, 1, 1}, 1, {2, 3}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 33, 4, 5, 6}, {80, 33, 1, 1, 1}, 1, {1, 2, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
      {{1, 256, 13, 29}, {127, 256, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},  // several tasks
  };
  const std::vector<std::vector<ElementStep>> steps = {
      {},
      {{ElementOp::Clip, 0, 0.5f}},
      {{ElementOp::Add, 0, 0, 0}},
      {{ElementOp::Add, 0, 0, 0, true}, {ElementOp::Relu}},
      {{ElementOp::Add, 0, 0, 0}, {ElementOp::Tanh}},
      {{ElementOp::Add, 0, 0, 1}, {ElementOp::Relu}},
      {{ElementOp::Mul, 0, 0, 1}, {ElementOp::Add, 0, 0, 0}},
      {{ElementOp::Sub, 0, 0, 2, true}, {ElementOp::Swish, 1}},
  };
  unsigned seed = 1200;
  for (const Case& c : shapes)
    for (const auto& post : steps)
      for (const bool in_place : {false, true}) {
        ConvConfig config = config_of(c);
        config.x_layout = config.out_layout = Layout::ChannelsLast;
        config.has_bias = seed % 3 != 0;
        config.post = post;
        Shape by_channel(c.x.size() - 1, 1);
        by_channel[0] = config.out[1];
        config.extra = {{config.out, Layout::ChannelsLast}, {by_channel}, {{}}};
        if (in_place) {
          const bool adds = std::any_of(post.begin(), post.end(), [](const ElementStep& s) { return s.operand == 0; });
          if (!adds) continue;
          config.in_place_extra = 0;
        }
        const int accepted = check(config, true, ++seed, to_string(config.x) + " by one pixel");
        if (HasFailure()) return;
        const float known = 0;
        config.weights = {&known};
        const std::string why = pointwise_conv_refuses(config);
        const bool first = post.size() < 2 || post[1].op == ElementOp::Relu;  // nothing comes between sum and bounds
        EXPECT_EQ(why.empty(), separable_table().lanes >= 8 && (!in_place || first)) << why;
        if (!in_place) {
          EXPECT_GE(accepted, why.empty() ? 2 : 1);
        }
      }
}

// What is rounded is the factors, and no sum.
TEST(Conv, FactorsInBFloat16) {
  unsigned seed = 1300;
  int accepted = 0;
  for (const Case& c : cases())
    for (Layout in : {Layout::Dense, Layout::ChannelsLast})
      for (Layout out : {Layout::Dense, Layout::ChannelsLast}) {
        ConvConfig config = config_of(c);
        config.x_layout = in;
        config.out_layout = out;
        config.has_bias = seed % 3 != 0;
        if (seed % 2 != 0) {
          config.post = {{ElementOp::Add, 0, 0, 0}, {ElementOp::Relu}};
          config.extra = {{config.out, out}};
          config.in_place_extra = out == Layout::ChannelsLast && seed % 5 == 0 ? 0 : -1;
        }
        accepted += check(config, true, ++seed, to_string(c.x) + " * " + to_string(c.w) + " rounded", true);
        if (HasFailure()) return;
      }
  ConvConfig config = config_of(cases()[15]);
  for (const auto& candidate : conv_bf16_candidates()) EXPECT_NE(candidate.refuses(config), "");  // no constant weights
  if (accepted == 0) GTEST_SKIP() << "the CPU has no dot products of bfloat16";
}

// Channels are multiplied in pairs: none is one of another pixel's.
TEST(Conv, AnInfiniteElementStaysWithinItsWindows) {
  constexpr std::int64_t height = 6, width = 14;
  for (const std::int64_t channels : {2, 3, 4, 5, 9, 15, 17, 32, 33})
    for (const std::int64_t filters : {33, 40, 64}) {
      const ConvConfig config = [&] {
        ConvConfig c =
            config_of({{1, channels, height, width}, {filters, channels, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
        c.x_layout = c.out_layout = Layout::ChannelsLast;
        return c;
      }();
      const auto w = random_floats(element_count(config.w), 3);
      for (const std::int64_t channel : {std::int64_t{0}, channels - 1}) {
        auto x = random_floats(element_count(config.x), 2);
        x[static_cast<std::size_t>((channel * height + 2) * width + 5)] = std::numeric_limits<float>::infinity();
        const auto want = plain(config, x, w, {});
        const auto laid_x = relaid(x, config.x, Layout::Dense, config.x_layout);
        ConvConfig constant = config;
        constant.weights = {w.data(), true, w.size() * sizeof(float)};
        std::vector<void*> operands = {const_cast<float*>(laid_x.data()), const_cast<float*>(w.data()), nullptr};
        for (const auto& table : {conv_candidates(), conv_bf16_candidates()})
          for (const auto& candidate : table) {
            if (candidate.name == "winograd" || !candidate.refuses(constant).empty())
              continue;  // whose tiles spread it
            Constants constants;
            const auto kernel = candidate.make(constant, constants);
            const auto got = relaid(run_at_widths(*kernel, operands, std::vector<float>(want.size())), config.out,
                                    config.out_layout, Layout::Dense);
            for (std::size_t i = 0; i < want.size(); ++i)
              ASSERT_EQ(std::isfinite(got[i]), std::isfinite(want[i]))
                  << candidate.name << ", " << channels << " channels, " << filters << " filters, at " << i;
          }
      }
    }
}

TEST(Conv, RefusesWhatDoesNotFit) {
  ConvConfig config = config_of(cases()[1]);
  config.out[2] += 1;
  for (const auto& candidate : conv_candidates()) EXPECT_NE(candidate.refuses(config), "");
  config = config_of(cases()[1]);
  config.pads_begin[0] = -1;
  for (const auto& candidate : conv_candidates()) EXPECT_NE(candidate.refuses(config), "");
}

// What is packed for one size serves the others: however they are cut, there are as many forms as widths of blocks, one
// where oneDNN has a product for windows of one pixel.
TEST(Conv, FormsOfWeightsDoNotFollowFromSizes) {
  class Counted final : public PackedConstants {
   public:
    std::shared_ptr<const void> get(const Contents& contents, std::size_t offset, std::string_view recipe,
                                    const std::function<std::shared_ptr<const void>()>& make,
                                    std::span<const Contents>) override {
      if (contents.known()) forms.emplace(offset, recipe);
      return make();
    }
    std::set<std::pair<std::size_t, std::string>> forms;
  } packed;
  const auto weights = random_floats(std::int64_t{512} * 256 * 9, 5);
  for (const std::int64_t size : {1, 2, 5, 7, 12, 33, 40}) {
    ConvConfig config = config_of({{1, 256, size, size}, {512, 256, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}});
    config.x_layout = config.out_layout = Layout::ChannelsLast;
    config.weights = {weights.data(), true, weights.size() * sizeof(float)};
    if (window_conv_refuses(config).empty()) make_window_conv(config, packed);
    if (window_conv_bf16_refuses(config).empty()) make_window_conv_bf16(config, packed);
  }
  EXPECT_LE(packed.forms.size(), 2u);
  packed.forms.clear();
  const Shape w = {512, 256, 1, 1};
  int sizes = 0;
  for (const std::int64_t size : {5, 7, 9, 12, 14, 18, 20, 28, 33, 40}) {
    ConvConfig config = config_of({{1, 256, size, size}, w, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}});
    config.x_layout = config.out_layout = Layout::ChannelsLast;
    config.weights = {weights.data(), true, weights.size() * sizeof(float)};
    for (const auto& candidate : conv_candidates()) {
      if (candidate.name != "onednn" || !candidate.refuses(config).empty()) continue;
      candidate.make(config, packed);
      ++sizes;
    }
  }
  if (sizes > 0) {
    EXPECT_EQ(sizes, 10);
  }
  EXPECT_LE(packed.forms.size(), instruction_set() == "AVX3" ? 1u : 4u);
}

}  // namespace
}  // namespace norn::kernels
