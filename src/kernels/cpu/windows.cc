#include "kernels/cpu/windows.h"

#include <string>
#include <vector>

#include "kernels/cpu/cast.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace windows_cc {
namespace {

constexpr std::int64_t kTogether = 16;  // elements of a filter that are read at a time

void pack_panel(const float* w, const WindowForm& f, std::int64_t group, std::int64_t panel, char* to) {
  const std::int64_t each = f.channels * f.area, first = panel * f.width, width = f.panel_columns(panel),
                     there = std::min(width, f.filters - first), pair = f.rounded ? 2 : 1;
  const float* const from = w + (group * f.filters + first) * each;
  auto* const floats = reinterpret_cast<float*>(to);
  auto* const halves = reinterpret_cast<std::uint16_t*>(to);
  if (f.pixel() != f.channels || f.weight_depth() != f.depth()) std::fill_n(to, f.taps() * f.tap_bytes(panel), char{0});
  std::vector<float> rows(static_cast<std::size_t>(kTogether * width));
  for (std::int64_t e = 0; e < each; e += kTogether) {
    const std::int64_t count = std::min(kTogether, each - e);
    for (std::int64_t n = 0; n < there; ++n)
      for (std::int64_t k = 0; k < count; ++k)
        rows[static_cast<std::size_t>(k * width + n)] = float_at(from + n * each + e + k);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t channel = (e + k) / f.area, place = (e + k) % f.area;
      const std::int64_t element = place / f.wide * f.weight_depth() + place % f.wide * f.pixel() + channel;
      const float* const row = rows.data() + k * width;
      if (f.dot > 0) {
        float* const at = floats + element / f.dot * f.dot * width + element % f.dot;
        for (std::int64_t n = 0; n < width; ++n) at[n * f.dot] = row[n];
        continue;
      }
      if (!f.rounded) {
        std::copy_n(row, width, floats + element * width);
        continue;
      }
      std::uint16_t half[64];
      half_table().float_to_bfloat16(row, half, width);
      std::uint16_t* const at = halves + element / pair * pair * width + element % pair;
      for (std::int64_t n = 0; n < width; ++n) at[n * pair] = half[n];
    }
  }
}

}  // namespace
}  // namespace windows_cc

std::shared_ptr<const void> pack_windows(const Contents& weights, const WindowForm& f, PackedConstants& packed) {
  const Shape sizes = {f.groups, f.filters, f.channels, f.area, f.wide};
  const std::string recipe = (f.rounded ? "bf16 windows " : "windows ") + to_string(sizes) + " in panels of " +
                             std::to_string(f.width) + (f.dot > 0 ? " by vectors of " + std::to_string(f.dot) : "");
  return packed.get(weights, 0, recipe, [&] {
    auto buffer = aligned_buffer(static_cast<std::size_t>(f.at(f.groups, 0)));
    const double panel_ns = static_cast<double>(f.taps() * f.depth() * f.width) * 0.5;
    parallel_ranges(f.groups * f.panels(), panel_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t group = i / f.panels(), panel = i % f.panels();
        pack_panel(static_cast<const float*>(weights.data), f, group, panel,
                   static_cast<char*>(buffer.get()) + f.at(group, panel));
      }
    });
    return buffer;
  });
}

}  // namespace norn::kernels
