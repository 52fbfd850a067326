// Points are taken by blocks: their places and weights, once for all channels. Coordinates are computed in double.
#include "kernels/cpu/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "base/settled.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace grid_sample_cc {
namespace {

constexpr std::int64_t kChannels = 64;  // of a piece of work at most

template <class T>
class GridSample final : public Kernel {
 public:
  explicit GridSample(const GridSampleConfig& c)
      : c_(c),
        loops_(grid_loops<T>()),
        plane_{c.rows, c.columns, c.align_corners, c.padding == GridPadding::Zeros},
        is_column_(c.columns == 1) {
    if (is_column_) std::swap(plane_.rows, plane_.columns);  // lies in memory as a row does
  }

  void run(void* const* operands, void*) const override {
    const T* const x = static_cast<const T*>(operands[0]);
    const T* const grid = static_cast<const T*>(operands[1]);
    T* const out = static_cast<T*>(operands[2]);
    const std::int64_t blocks = (c_.points + kGridBlock - 1) / kGridBlock, plane = c_.rows * c_.columns;
    const std::int64_t groups = (c_.channels + kChannels - 1) / kChannels, row_step = plane_.rows > 1 ? c_.columns : 0;
    const double block_ns = kGridBlock * (5 + static_cast<double>(std::min(c_.channels, kChannels)));
    parallel_ranges(c_.batch * blocks * groups, block_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      GridTaps<T> taps;
      for (std::int64_t b = begin; b < end; ++b) {
        const std::int64_t n = b / groups / blocks, first = b / groups % blocks * kGridBlock;
        const std::int64_t count = std::min(kGridBlock, c_.points - first);
        if (b == begin || b % groups == 0) find(grid + (n * c_.points + first) * 2, taps, count);
        const std::int64_t k0 = b % groups * kChannels, k1 = std::min(k0 + kChannels, c_.channels);
        for (std::int64_t k = n * c_.channels + k0; k < n * c_.channels + k1; ++k) {
          if (c_.nearest)
            loops_.nearest(x + k * plane, taps, out + k * c_.points + first, count);
          else
            loops_.linear(x + k * plane, row_step, taps, out + k * c_.points + first, count);
        }
      }
    });
  }

 private:
  void find(const T* grid, GridTaps<T>& taps, std::int64_t count) const {
    const GridPlane given{c_.rows, c_.columns, c_.align_corners, plane_.zeros};
    loops_.coordinates(given, grid, taps, count);
    bring_inside(taps.x, count, c_.columns);
    bring_inside(taps.y, count, c_.rows);
    if (c_.nearest) return find_nearest(taps, count);
    if (is_column_) std::swap_ranges(taps.x, taps.x + count, taps.y);
    std::fill(taps.x + count, taps.x + kGridBlock, 0.0);
    std::fill(taps.y + count, taps.y + kGridBlock, 0.0);
    loops_.pairs(plane_, taps, count);
  }
  void bring_inside(double* at, std::int64_t count, std::int64_t n) const {
    const auto size = static_cast<double>(n);
    // A float of the grid gives a coordinate that is known to within its rounding.
    for (std::int64_t i = 0; c_.nearest && i < count; ++i)
      at[i] = std::nearbyint(std::is_same_v<T, double> ? at[i] : base::settled(at[i], size * 0x1p-22));
    if (c_.padding == GridPadding::Border)
      for (std::int64_t i = 0; i < count; ++i) at[i] = std::isnan(at[i]) ? 0 : std::clamp(at[i], 0.0, size - 1);
    if (c_.padding == GridPadding::Reflection)
      for (std::int64_t i = 0; i < count; ++i) at[i] = std::isnan(at[i]) ? 0 : reflected(at[i], size);
  }
  void find_nearest(GridTaps<T>& taps, std::int64_t count) const {
    const auto columns = static_cast<double>(c_.columns), rows = static_cast<double>(c_.rows);
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = taps.x[i], y = taps.y[i];
      const bool inside = !plane_.zeros || (x > -1 && x < columns && y > -1 && y < rows);
      taps.upper[i] = inside ? T{1} : T{0};
      taps.place[i] =
          inside ? static_cast<std::int32_t>(std::clamp(y, 0.0, rows - 1) * columns + std::clamp(x, 0.0, columns - 1))
                 : 0;
    }
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
  GridLoops<T> loops_;
  GridPlane plane_;  // as it lies
  bool is_column_;
};

std::string refuses(const GridSampleConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "does not compute " + std::string(data_type_name(c.type));
  for (const std::int64_t size : {c.batch, c.channels, c.rows, c.columns, c.points})
    if (size < 1) return "an empty tensor";
  const Shape x = {c.batch, c.channels, c.rows, c.columns}, y = {c.batch, c.channels, c.points, 2},
              plane = {c.rows, c.columns};
  if (std::string why = extent_refusal({&x, &y, &plane}); !why.empty()) return why;
  if (c.rows * c.columns > std::numeric_limits<std::int32_t>::max()) return "a plane of 2^31 elements";
  return !c.nearest && c.rows * c.columns == 1 ? "a plane of one element" : "";
}
std::unique_ptr<Kernel> make(const GridSampleConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<GridSample<double>>(c);
  return std::make_unique<GridSample<float>>(c);
}

constexpr Candidate<GridSampleConfig> kGridSampleCandidates[] = {{"bilinear", refuses, make}};

}  // namespace
}  // namespace grid_sample_cc

std::span<const Candidate<GridSampleConfig>> grid_sample_candidates() { return kGridSampleCandidates; }

}  // namespace norn::kernels
