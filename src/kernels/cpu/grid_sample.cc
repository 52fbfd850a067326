// Points are taken by blocks: their places and weights, once for all channels. Coordinates are computed in double.
#include "kernels/cpu/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/settled.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace grid_sample_cc {
namespace {

// The two elements of an axis around a coordinate, or the nearest and none; what lies outside has weight 0.
struct Pair {
  std::int64_t at[2];
  double weight[2];
};

template <class T, class Place>
class GridSample final : public Kernel {
 public:
  GridSample(const GridSampleConfig& c, GridLoop<T, Place> loop) : c_(c), loop_(loop) {}

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    const T* grid = static_cast<const T*>(operands[1]);
    T* out = static_cast<T*>(operands[2]);
    const std::int64_t blocks = (c_.points + kGridBlock - 1) / kGridBlock, plane = c_.rows * c_.columns;
    const std::int64_t taps = c_.nearest ? 1 : 4;
    const double block_ns = kGridBlock * (10 + 2 * static_cast<double>(c_.channels));
    parallel_ranges(c_.batch * blocks, block_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      Place places[4 * kGridBlock];
      T weights[4 * kGridBlock];
      for (std::int64_t b = begin; b < end; ++b) {
        const std::int64_t n = b / blocks, first = b % blocks * kGridBlock;
        const std::int64_t count = std::min(kGridBlock, c_.points - first);
        const T* point = grid + (n * c_.points + first) * 2;
        for (std::int64_t i = 0; i < count; ++i, point += 2) {
          const Pair across = pair_of(static_cast<double>(point[0]), c_.columns);
          const Pair down = pair_of(static_cast<double>(point[1]), c_.rows);
          for (std::int64_t t = 0; t < taps; ++t) {
            places[t * kGridBlock + i] = static_cast<Place>(down.at[t / 2] * c_.columns + across.at[t % 2]);
            weights[t * kGridBlock + i] = static_cast<T>(down.weight[t / 2] * across.weight[t % 2]);
          }
        }
        for (std::int64_t k = 0; k < c_.channels; ++k)
          loop_(x + (n * c_.channels + k) * plane, places, weights, taps,
                out + (n * c_.channels + k) * c_.points + first, count);
      }
    });
  }

 private:
  Pair pair_of(double g, std::int64_t n) const {
    const auto size = static_cast<double>(n);
    double x = c_.align_corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    // A float of the grid gives a coordinate that is known to within its rounding.
    if (c_.nearest) x = std::nearbyint(std::is_same_v<T, double> ? x : base::settled(x, size * 0x1p-22));
    const bool zeros = c_.padding == GridPadding::Zeros;
    if (zeros) {
      if (!(x > -1 && x < size)) return {{0, 0}, {0, 0}};
    } else if (std::isnan(x)) {
      x = 0;
    } else if (c_.padding == GridPadding::Border) {
      x = std::clamp(x, 0.0, size - 1);
    } else {
      x = reflected(x, size);
    }
    auto i = static_cast<std::int64_t>(x);
    if (x < static_cast<double>(i)) --i;  // the floor
    const double part = c_.nearest ? 0 : x - static_cast<double>(i);
    Pair p{{std::clamp<std::int64_t>(i, 0, n - 1), std::clamp<std::int64_t>(i + 1, 0, n - 1)}, {1 - part, part}};
    if (zeros) {
      if (i < 0) p.weight[0] = 0;
      if (i + 1 >= n) p.weight[1] = 0;
    }
    return p;
  }
  // Between the borders, going back and forth.
  double reflected(double x, double size) const {
    const double low = c_.align_corners ? 0 : -0.5, range = c_.align_corners ? size - 1 : size;
    if (x >= low && x <= low + range) return x;
    if (range <= 0 || std::isinf(x)) return 0;
    const double there_and_back = std::fmod(std::fabs(x - low), 2 * range);
    return low + (there_and_back <= range ? there_and_back : 2 * range - there_and_back);
  }

  GridSampleConfig c_;
  GridLoop<T, Place> loop_;
};

std::string refuses(const GridSampleConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "does not compute " + std::string(data_type_name(c.type));
  for (const std::int64_t size : {c.batch, c.channels, c.rows, c.columns, c.points})
    if (size < 1) return "an empty tensor";
  const Shape x = {c.batch, c.channels, c.rows, c.columns}, y = {c.batch, c.channels, c.points, 2},
              plane = {c.rows, c.columns};
  if (std::string why = extent_refusal({&x, &y, &plane}); !why.empty()) return why;
  return c.rows * c.columns > std::numeric_limits<std::int32_t>::max() ? "a plane of 2^31 elements" : "";
}
std::unique_ptr<Kernel> make(const GridSampleConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<GridSample<double, std::int64_t>>(c, grid_loop_f64());
  return std::make_unique<GridSample<float, std::int32_t>>(c, grid_loop_f32());
}

constexpr Candidate<GridSampleConfig> kGridSampleCandidates[] = {{"bilinear", refuses, make}};

}  // namespace
}  // namespace grid_sample_cc

std::span<const Candidate<GridSampleConfig>> grid_sample_candidates() { return kGridSampleCandidates; }

}  // namespace norn::kernels
