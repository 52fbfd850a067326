// Bins of regions against the definition: samples one by one, in double.
#include "kernels/cpu/roi_align.h"

#include <algorithm>

#include "kernels/cpu/kernel_test.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace roi_align_test_cc {
namespace {

using namespace test;

struct Trial {
  RoiAlignConfig config;
  std::vector<float> x, regions;  // x dense
  std::vector<std::int64_t> images;
};

// The four elements around a sample and their weights; none outside.
struct Around {
  std::int64_t row[2], column[2];
  double down[2], across[2];
};
bool find(double y, double x, std::int64_t rows, std::int64_t columns, Around& found) {
  const auto axis = [](double v, std::int64_t n, std::int64_t* at, double* weight) {
    if (v < -1 || v > static_cast<double>(n)) return false;
    v = std::max(v, 0.0);
    at[0] = std::min(static_cast<std::int64_t>(v), n - 1);
    at[1] = std::min(at[0] + 1, n - 1);
    weight[1] = at[0] == n - 1 ? 0 : v - static_cast<double>(at[0]);
    weight[0] = 1 - weight[1];
    return true;
  };
  return axis(y, rows, found.row, found.down) && axis(x, columns, found.column, found.across);
}

std::vector<double> expected(const Trial& t) {
  const RoiAlignConfig& c = t.config;
  std::vector<double> out;
  for (std::int64_t r = 0; r < c.regions; ++r) {
    const float* corner = t.regions.data() + 4 * r;
    const double offset = c.half_pixel ? 0.5 : 0;
    const auto moved = [&](float v) {
      return static_cast<float>(static_cast<float>(double{v} * c.spatial_scale) - offset);
    };
    double width = moved(corner[2]) - moved(corner[0]), height = moved(corner[3]) - moved(corner[1]);
    if (!c.half_pixel) width = std::max(width, 1.0), height = std::max(height, 1.0);
    const double bin_x = static_cast<float>(width / static_cast<double>(c.width)),
                 bin_y = static_cast<float>(height / static_cast<double>(c.height));
    const auto samples = [&](double bin) {
      return c.sampling_ratio > 0 ? c.sampling_ratio
                                  : std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(bin)), 0);
    };
    const std::int64_t nx = samples(bin_x), ny = samples(bin_y);
    for (std::int64_t k = 0; k < c.channels; ++k)
      for (std::int64_t b = 0; b < c.height * c.width; ++b) {
        const float* plane = t.x.data() + (t.images[static_cast<std::size_t>(r)] * c.channels + k) * c.rows * c.columns;
        double sum = 0, best = -INFINITY;
        for (std::int64_t i = 0; i < ny; ++i)
          for (std::int64_t j = 0; j < nx; ++j) {
            const double y = moved(corner[1]) + static_cast<double>(b / c.width) * bin_y +
                             (static_cast<double>(i) + 0.5) * bin_y / static_cast<double>(ny),
                         x = moved(corner[0]) + static_cast<double>(b % c.width) * bin_x +
                             (static_cast<double>(j) + 0.5) * bin_x / static_cast<double>(nx);
            Around at{};
            if (!find(y, x, c.rows, c.columns, at)) {
              best = std::max(best, 0.0);
              continue;
            }
            for (int p = 0; p < 4; ++p) {
              const double v = at.down[p / 2] * at.across[p % 2] * plane[at.row[p / 2] * c.columns + at.column[p % 2]];
              sum += v;
              best = std::max(best, v);
            }
          }
        const auto count = static_cast<double>(std::max<std::int64_t>(nx * ny, 1));
        out.push_back(c.maximum ? (nx * ny == 0 ? 0 : best) : sum / count);
      }
  }
  return out;
}

Trial trial(const RoiAlignConfig& config, float low, float high, unsigned seed) {
  Trial t{config,
          random_floats(config.batch * config.channels * config.rows * config.columns, seed),
          random_floats(4 * config.regions, seed + 1, low, high),
          {}};
  for (std::int64_t r = 0; r < config.regions; ++r) t.images.push_back((r * 7 + 3) % config.batch);
  return t;
}

std::vector<float> run(Trial& t) {
  Constants constants;
  const RoiAlignConfig& c = t.config;
  EXPECT_EQ(roi_align_candidates()[0].refuses(c), "");
  const auto kernel = roi_align_candidates()[0].make(c, constants);
  auto x = relaid(t.x, {c.batch, c.channels, c.rows, c.columns}, Layout::Dense, Layout::ChannelsLast);
  return run_at_widths(
      *kernel, {x.data(), t.regions.data(), t.images.data()},
      std::vector<float>(static_cast<std::size_t>(c.regions * c.channels * c.height * c.width), -9.0f));
}

TEST(RoiAlign, EveryModeAndManySizes) {
  unsigned seed = 1;
  for (const std::int64_t channels : {1, 3, 16, 17, 64, 100, 130})
    for (const auto& [height, width] : {std::pair<std::int64_t, std::int64_t>{7, 7}, {1, 1}, {2, 5}, {20, 17}})
      for (const std::int64_t ratio : {0, 1, 2, 3})
        for (const bool maximum : {false, true})
          for (const bool half_pixel : {false, true}) {
            // Regions that are inside, that reach far out, and that are turned inside out.
            const RoiAlignConfig c{2, channels, 11, 9, 5, height, width, ratio, 0.5f, maximum, half_pixel};
            Trial t = trial(c, seed % 3 == 0 ? -40.0f : 0.0f, seed % 5 == 0 ? 90.0f : 22.0f, seed);
            ++seed;
            ASSERT_NO_FATAL_FAILURE(expect_close(run(t), expected(t), 2e-6,
                                                 std::to_string(channels) + " channels, " + std::to_string(height) +
                                                     "x" + std::to_string(width) + " bins, " + std::to_string(ratio) +
                                                     " samples, " + std::to_string(maximum) +
                                                     std::to_string(half_pixel)));
          }
}

// More samples than elements, regions far larger than the image, an image of one element.
TEST(RoiAlign, ManySamples) {
  for (const bool maximum : {false, true})
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 50}, {40, 2}})
      for (const std::int64_t ratio : {0, 29}) {
        Trial t = trial({1, 20, rows, columns, 6, 3, 2, ratio, 1, maximum, true}, -300, 300, 5);
        ASSERT_NO_FATAL_FAILURE(expect_close(run(t), expected(t), 5e-6, std::to_string(rows)));
      }
}

TEST(RoiAlign, ManyRegionsOfAnImage) {
  Trial t = trial({1, 70, 25, 31, 200, 7, 7, 2, 0.25f, false, false}, 0, 120, 9);
  expect_close(run(t), expected(t), 2e-6, "200 regions");
}

TEST(RoiAlign, WhatIsNotFinite) {
  for (const bool maximum : {false, true}) {
    Trial t = trial({1, 18, 6, 6, 3, 2, 2, 2, 1, maximum, true}, 0, 6, 2);
    t.regions[1] = std::numeric_limits<float>::quiet_NaN();
    t.regions[6] = std::numeric_limits<float>::infinity();
    const std::vector<float> y = run(t);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i < 2 * 18 * 4) << i;
    // An element that is NaN is in every bin that reads it, and in no other channel.
    t = trial({1, 18, 2, 2, 1, 1, 1, 2, 1, maximum, true}, 0, 0, 2);
    t.regions = {0, 0, 2, 2};
    t.x[7 * 4] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> z = run(t);
    for (std::size_t k = 0; k < 18; ++k) EXPECT_EQ(std::isnan(z[k]), k == 7) << k;
  }
}

TEST(RoiAlign, AnImageOutsideIsAnError) {
  for (const std::int64_t image : {std::int64_t{-1}, std::int64_t{1}, std::numeric_limits<std::int64_t>::min()}) {
    Trial t = trial({1, 2, 3, 3, 4, 1, 1, 2, 1, false, true}, 0, 3, 2);
    t.images[2] = image;
    EXPECT_THROW(run(t), Error);
  }
}

TEST(RoiAlign, RefusesWhatItCannotCount) {
  const auto refuses = [](const RoiAlignConfig& c) { return !roi_align_candidates()[0].refuses(c).empty(); };
  EXPECT_TRUE(refuses({1, 0, 3, 3, 4, 1, 1, 2}));
  EXPECT_TRUE(refuses({1, 2, 3, 3, 0, 1, 1, 2}));
  EXPECT_TRUE(refuses({1, 2, 3, 3, 4, 1, std::int64_t{1} << 31, 2}));
  EXPECT_TRUE(refuses({1, 2, std::int64_t{1} << 40, std::int64_t{1} << 40, 4, 1, 1, 2}));
  EXPECT_TRUE(refuses({1, 2, 3, 3, 4, 7, 7, 1 << 16, 1, true}));
}

}  // namespace
}  // namespace roi_align_test_cc
}  // namespace norn::kernels
