// Averages and maxima of samples in regions against each sample, with a weight for every element of the plane.
#include "kernels/cpu/roi_align.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/kernel_test.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

double at(const std::vector<float>& x, std::int64_t i) { return static_cast<double>(x[static_cast<std::size_t>(i)]); }

std::vector<double> plain(const RoiAlignConfig& c, const std::vector<float>& x, const std::vector<float>& regions,
                          const std::vector<std::int64_t>& images) {
  std::vector<double> y;
  for (std::int64_t r = 0; r < c.regions; ++r)
    for (std::int64_t k = 0; k < c.channels; ++k)
      for (std::int64_t bin = 0; bin < c.height * c.width; ++bin) {
        const double move = c.rule.half_pixel ? 0.5 : 0, scale = static_cast<double>(c.rule.scale);
        const auto corner = [&](std::int64_t i) { return at(regions, 4 * r + i) * scale - move; };
        const auto length = [&](double size) { return c.rule.half_pixel ? size : std::max(size, 1.0); };
        const double tall = length(corner(3) - corner(1)) / static_cast<double>(c.height),
                     wide = length(corner(2) - corner(0)) / static_cast<double>(c.width);
        const auto samples = [&](double size) {
          return c.rule.ratio > 0 ? c.rule.ratio : static_cast<std::int64_t>(std::max(std::ceil(size), 0.0));
        };
        const std::int64_t down = samples(tall), across = samples(wide);
        double sum = 0, most = -INFINITY;
        bool nan = false;
        for (std::int64_t s = 0; s < down * across; ++s) {
          const auto place = [](double start, double size, std::int64_t b, std::int64_t i, std::int64_t n) {
            return start + static_cast<double>(b) * size +
                   (static_cast<double>(i) + 0.5) * size / static_cast<double>(n);
          };
          double v = place(corner(1), tall, bin / c.width, s / across, down),
                 h = place(corner(0), wide, bin % c.width, s % across, across);
          if (v < -1 || v > static_cast<double>(c.rows) || h < -1 || h > static_cast<double>(c.columns)) {
            most = std::max(most, 0.0);
            continue;
          }
          v = std::clamp(v, 0.0, static_cast<double>(c.rows - 1));
          h = std::clamp(h, 0.0, static_cast<double>(c.columns - 1));
          const auto row = static_cast<std::int64_t>(v), column = static_cast<std::int64_t>(h);
          for (const std::int64_t i : {row, row + 1})
            for (const std::int64_t j : {column, column + 1}) {
              const double weight =
                  (1 - std::fabs(v - static_cast<double>(i))) * (1 - std::fabs(h - static_cast<double>(j)));
              const std::int64_t y_at = std::min(i, c.rows - 1), x_at = std::min(j, c.columns - 1);
              const std::int64_t image = images[static_cast<std::size_t>(r)];
              const double product = weight * at(x, ((image * c.channels + k) * c.rows + y_at) * c.columns + x_at);
              nan = nan || std::isnan(product);
              if (weight != 0) sum += product;
              most = std::max(most, product);
            }
        }
        if (c.maximum)
          y.push_back(nan ? NAN : down * across == 0 ? 0 : most);
        else
          y.push_back(sum / std::max(static_cast<double>(down * across), 1.0));
      }
  return y;
}

TEST(RoiAlign, AveragesAndMaxima) {
  struct Plane {
    std::int64_t rows, columns;
  };
  for (const auto& [rows, columns] : {Plane{12, 37}, {9, 3}, {1, 1}, {5, 18}})
    for (const std::int64_t ratio : {0, 1, 2, 5})
      for (const bool half_pixel : {false, true})
        for (const bool maximum : {false, true}) {
          RoiAlignConfig c{.images = 2, .channels = 3, .rows = rows, .columns = columns, .regions = 40};
          c.height = 3;
          c.width = 5;
          c.rule = {0.25f, half_pixel, ratio, false};
          c.maximum = maximum;
          const std::int64_t elements = 2 * 3 * rows * columns;
          auto x = random_floats(elements, static_cast<unsigned>(columns), -1, maximum ? 0.2f : 1);
          // Sixteenths: the number of samples does not depend on rounding. Some regions lie outside or are turned over.
          auto regions = random_floats(c.regions * 4, 5, -20, 4 * static_cast<float>(std::max(rows, columns)) + 20);
          for (float& v : regions) v = std::round(v * 16) / 16;
          std::vector<std::int64_t> images;
          for (std::int64_t r = 0; r < c.regions; ++r) images.push_back(r % 2);
          for (const bool finite : {true, false}) {
            if (!finite) {
              x[0] = INFINITY;
              x[static_cast<std::size_t>(elements / 3)] = -INFINITY;
              x[static_cast<std::size_t>(elements - 1)] = NAN;
            }
            ASSERT_EQ(roi_align_candidates()[0].refuses(c), "");
            Constants constants;
            const auto want = plain(c, x, regions, images);
            const auto got = run_at_widths(*roi_align_candidates()[0].make(c, constants),
                                           {x.data(), regions.data(), images.data()}, std::vector<float>(want.size()));
            expect_close(got, want, 1e-5,
                         std::to_string(columns) + " columns, ratio " + std::to_string(ratio) +
                             (half_pixel ? ", by halves" : "") + (maximum ? ", maxima" : ""));
            if (HasFailure()) return;
          }
        }
}

TEST(RoiAlign, OddRegions) {
  RoiAlignConfig c{.images = 1, .channels = 150, .rows = 4, .columns = 4, .regions = 3, .height = 2, .width = 1};
  std::vector<float> x(150 * 16, 2.0f), regions = {0, 0, 4, NAN, -1e30f, -1e30f, 1e30f, 1e30f, 0, 0, 0, 0};
  std::vector<std::int64_t> images(3, 0);
  Constants constants;
  const auto kernel = roi_align_candidates()[0].make(c, constants);
  const auto got = run_at_widths(*kernel, {x.data(), regions.data(), images.data()}, std::vector<float>(900));
  for (std::size_t i = 0; i < 900; ++i) {
    if (i < 300)
      ASSERT_TRUE(std::isnan(got[i]));
    else
      ASSERT_EQ(got[i], 0.0f);
  }
  images[1] = -1;
  std::vector<float> out(900);
  void* const operands[] = {x.data(), regions.data(), images.data(), out.data()};
  EXPECT_THROW(kernel->run(operands, nullptr), Error);
  c.rows = 0;
  EXPECT_NE(roi_align_candidates()[0].refuses(c), "");
}

}  // namespace
}  // namespace norn::kernels
