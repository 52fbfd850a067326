#include "kernels/cpu/picked_copy.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/division.h"
#include "kernels/cpu/by_four.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace picked_copy_cc {
namespace {

constexpr std::int64_t kTable = 2048, kWorthwhile = 32;   // elements
constexpr std::int64_t kRepeated = 32, kRepeats = 16384;  // bytes: of what is repeated at least, and of a stretch of it
constexpr double kElementNs = 0.4;

}  // namespace
}  // namespace picked_copy_cc

PickedCopy::PickedCopy(std::vector<GridDim> dims, std::size_t element_bytes)
    : bytes_(static_cast<std::int64_t>(element_bytes)) {
  std::vector<GridDim> inner;  // innermost first
  const auto repeats = [&] { return dims.back().x_stride == 0 && each_ * bytes_ >= kRepeated; };
  while (!dims.empty() && dims.back().out_stride == each_ && dims.back().size <= kTable / each_ && !repeats()) {
    each_ *= dims.back().size;
    inner.push_back(dims.back());
    dims.pop_back();
  }
  if (!dims.empty() && dims.back().out_stride == each_ && (kTable / each_ > 1 || repeats())) {
    repeats_ = repeats();
    cut_ = dims.back();
    piece_ = repeats_ ? (kRepeats + each_ * bytes_ - 1) / (each_ * bytes_) : kTable / each_;
    dims.pop_back();
  }
  if (each_ * piece_ < kWorthwhile) return;
  std::int64_t reach = std::abs(cut_.x_stride) * piece_;
  for (const GridDim& d : inner) reach += std::abs(d.x_stride) * d.size;
  if (reach > std::numeric_limits<std::int32_t>::max() / bytes_) return;
  std::vector<std::int32_t> table = {0};
  const auto append = [&](std::int64_t size, std::int64_t stride) {
    const std::size_t n = table.size();
    for (std::int64_t i = 1; i < size; ++i)
      for (std::size_t e = 0; e < n; ++e) table.push_back(table[e] + static_cast<std::int32_t>(i * stride * bytes_));
  };
  for (const GridDim& d : inner) append(d.size, d.x_stride);
  if (!repeats_) append(piece_, cut_.x_stride);
  table_ = std::move(table);
  // Neighbours of x follow each other: what one stretch brings into the cache, the next one uses.
  std::stable_sort(dims.begin(), dims.end(),
                   [](const GridDim& a, const GridDim& b) { return std::abs(a.x_stride) > std::abs(b.x_stride); });
  grid_ = std::move(dims);
}

void PickedCopy::run(const void* x, void* out) const {
  const std::int64_t pieces = (cut_.size + piece_ - 1) / piece_;
  std::int64_t stretches = pieces;
  for (const GridDim& d : grid_) stretches *= d.size;
  const double stretch_ns = 10 + kElementNs * static_cast<double>(table_.size());
  parallel_ranges(stretches, stretch_ns, 1, [&](std::int64_t begin, std::int64_t end) {
    with_copy(bytes_, [&](auto copy) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [point, piece] = base::divide(i, pieces);
        const std::int64_t first = piece * piece_, n = std::min(piece_, cut_.size - first) * each_;
        const GridOffsets at = grid_offsets(grid_.data(), grid_.size(), point);
        const char* from = static_cast<const char*>(x) + (at.x + first * cut_.x_stride) * bytes_;
        char* to = static_cast<char*>(out) + (at.out + first * cut_.out_stride) * bytes_;
        const std::int32_t* table = table_.data();
        by_four(repeats_ ? each_ : n, [=, this](std::int64_t e) { copy(to + e * bytes_, from + table[e]); });
        if (repeats_) repeat_first(to, each_ * bytes_, n * bytes_);
      }
    });
  });
}

}  // namespace norn::kernels
