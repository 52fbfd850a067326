// A band of output rows, of all planes along the depth if they fit, is one piece of work: windows are folded along rows
// first, for each row that the band needs, then across rows, then along the depth. Rows that lie in the padding hold
// what changes nothing, so that all windows are whole; along a row, the few windows that reach into the padding are
// folded by themselves, or the row is copied between its padding if they are many. Small windows, and those that are
// steps apart, are folded the other way: rows that an output row needs first, into one between its padding.
#include "kernels/cpu/plane_pool.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "base/division.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/plane_axes.h"

namespace norn::kernels {
inline namespace plane_pool_cc {
namespace {

constexpr std::int64_t kLongestRow = 1 << 20;          // elements
constexpr std::int64_t kFewTaps = 24;                  // of a row's windows that reach into the padding
constexpr std::int64_t kBand = std::int64_t{1} << 15;  // elements of a band and what is made of it, about

using Axis = PlaneAxis;

// T: what half types are computed in, else the elements.
template <class T>
class PlanePool final : public Kernel {
 public:
  explicit PlanePool(const PlanePoolConfig& c) : axes_(plane_axes(c)), loops_(plane_loops<T>(c.kind)), kind_(c.kind) {
    const Axis &deep = axes_[0], &high = axes_[1], &wide = axes_[2];
    if (c.type == DataType::Float16 || c.type == DataType::BFloat16) {
      const bool ieee = c.type == DataType::Float16;
      widen_ = ieee ? half_table().float16_to_float : half_table().bfloat16_to_float;
      narrow_ = ieee ? half_table().float_to_float16 : half_table().float_to_bfloat16;
    }
    row_ = padded_row(wide);
    while (first_whole_ < wide.out && wide.at(first_whole_) < 0) ++first_whole_;
    end_whole_ = first_whole_;
    while (end_whole_ < wide.out && wide.at(end_whole_) + (wide.window - 1) * wide.dilation < wide.in) ++end_whole_;
    padded_ = widen_ || (wide.out - end_whole_ + first_whole_) * wide.window > kFewTaps;
    neutral_ = kind_ == PoolKind::Average ? T{0} : kLeastOf<T>;
    down_first_ = !widen_ && is_better_down_first();
    together_ = std::clamp<std::int64_t>(4096 / row_, 1, 8);
    depth_ = deep.out;
    height_ = high.out;
    while (elements() > kBand && (depth_ > 1 || height_ > 1)) {
      if (height_ > 1)
        height_ = (height_ + 1) / 2;
      else
        depth_ = (depth_ + 1) / 2;
    }
    depths_ = (deep.out + depth_ - 1) / depth_;
    heights_ = (high.out + height_ - 1) / height_;
    planes_ = c.x[0] * c.x[1];
    const double taps = static_cast<double>(deep.window + high.window + wide.window);
    tasks_ = piece_count(planes_ * depths_ * heights_, static_cast<double>(elements()) * taps * 0.02 * sizeof(T) + 50);
    const std::int64_t scratch =
        down_first_ ? together_ * row_ + (deep.window > 1 ? deep.window * wide.in : 0) : elements();
    task_bytes_ = (scratch * static_cast<std::int64_t>(sizeof(T)) + 63) / 64 * 64;
    if (kind_ != PoolKind::Average) return;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::int64_t o = 0; o < axes_[d].out; ++o) {
        const Axis& a = axes_[d];
        counts_[d].push_back(static_cast<T>(a.counted(o, c.count_include_pad)));
      }
    most_rows_ = *std::max_element(counts_[0].begin(), counts_[0].end()) *
                 *std::max_element(counts_[1].begin(), counts_[1].end());
    for (std::int64_t row = 0; row < height_; ++row)
      for (const T count : counts_[2]) scales_.push_back(T{1} / (most_rows_ * count));
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(task_bytes_ * tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      T* own = reinterpret_cast<T*>(static_cast<std::byte*>(scratch) + task_bytes_ * task);
      const std::int64_t bands = planes_ * depths_ * heights_;
      for (auto [b, last_b] = base::part_of(bands, tasks_, task); b < last_b; ++b) {
        const auto [above, y] = base::divide(b, heights_);
        const auto [plane, z] = base::divide(above, depths_);
        band(operands, plane, z * depth_, y * height_, own);
      }
    });
  }

 private:
  // Input positions that n windows need.
  static std::int64_t reach(const Axis& a, std::int64_t n) {
    return (n - 1) * a.stride + (a.window - 1) * a.dilation + 1;
  }
  // Of scratch memory: rows with padding; windows along rows; windows of planes; rows of the output.
  std::int64_t elements() const {
    const std::int64_t z = reach(axes_[0], depth_), y = reach(axes_[1], height_), w = axes_[2].out;
    return (padded_ ? row_ : 0) * 4 + z * y * w + z * height_ * w + (widen_ ? w : 0);
  }

  // By operations for an element of an output row.
  bool is_better_down_first() const {
    const Axis &deep = axes_[0], &high = axes_[1], &wide = axes_[2];
    if (deep.window * high.window == 1 || deep.window > 64 || high.window > 64 || wide.window > 64) return false;
    if (deep.window > 1 && deep.window * wide.in > kLongestRow) return false;
    std::int64_t across = high.window;
    if (kind_ == PoolKind::Max && high.window >= 4)
      for (across = 2; std::int64_t{2} << across <= high.window;) ++across;
    const std::int64_t steps = std::min<std::int64_t>(high.stride, high.window) * std::min(deep.stride, deep.window);
    const std::int64_t edges = end_whole_ - first_whole_ < wide.out ? 2 : wide.stride == 2 ? 0 : -1;
    return deep.window * high.window * std::min(wide.stride, wide.window) + wide.window <
           wide.window * steps + across * std::min(deep.stride, deep.window) + deep.window + edges;
  }
  void band_down_first(const T* x, T* out, std::int64_t z0, std::int64_t depth, std::int64_t y0, std::int64_t height,
                       T* own) const {
    const Axis &deep = axes_[0], &high = axes_[1], &wide = axes_[2];
    T *const rows = own, *const layers = own + together_ * row_;
    std::fill_n(rows, together_ * row_, neutral_);
    // Rows are not read while they are being written: some are folded down before any is folded along.
    for (std::int64_t z = z0; z < z0 + depth; ++z) {
      const auto [first_z, count_z] = deep.inside(z);
      for (std::int64_t y = y0, n; y < y0 + height; y += n) {
        n = std::min(together_, y0 + height - y);
        for (std::int64_t k = 0; k < n; ++k) {
          T* const row = rows + k * row_;
          const auto [first_y, count_y] = high.inside(y + k);
          const T* from = x + (first_z * high.in + first_y) * wide.in;
          if (count_z == 1) {
            loops_.rows(from, high.dilation * wide.in, count_y, row + wide.begin, wide.in);
          } else {
            for (std::int64_t l = 0; l < count_z; ++l)
              loops_.rows(from + l * deep.dilation * high.in * wide.in, high.dilation * wide.in, count_y,
                          layers + l * wide.in, wide.in);
            loops_.rows(layers, wide.in, count_z, row + wide.begin, wide.in);
          }
        }
        T* const to = out + (z * high.out + y) * wide.out;
        const bool at_once = kind_ == PoolKind::Average && wide.stride == 1;
        for (std::int64_t k = 0; k < n; ++k) {
          const T* const from = rows + k * row_;
          T* const line = to + k * wide.out;
          if (at_once && rows_of_window(z, y + k) == most_rows_) {
            loops_.scaled_rows(from, wide.dilation, wide.window, scales_.data(), line, wide.out);
            continue;
          }
          loops_.windows(from, line, wide.out, wide.stride, wide.window, wide.dilation);
          if (at_once) divide(line, z, y + k);
        }
        if (kind_ == PoolKind::Average && !at_once) divide_rows(to, z, y, n);
      }
    }
  }
  T rows_of_window(std::int64_t z, std::int64_t y) const {
    return counts_[0][static_cast<std::size_t>(z)] * counts_[1][static_cast<std::size_t>(y)];
  }
  void divide(T* row, std::int64_t z, std::int64_t y) const {
    const T rows = rows_of_window(z, y);
    if (rows == most_rows_) return loops_.scale(row, scales_.data(), axes_[2].out);
    loops_.divide(row, counts_[2].data(), rows, axes_[2].out);
  }

  // Rows that lie behind each other; those of as many rows of the input at once.
  void divide_rows(T* rows, std::int64_t z, std::int64_t y, std::int64_t n) const {
    const std::int64_t w = axes_[2].out, most = static_cast<std::int64_t>(scales_.size()) / w;
    const T deep = counts_[0][static_cast<std::size_t>(z)];
    for (std::int64_t r = 0, same = 1; r < n; r += same) {
      same = 0;
      while (r + same < n && same < most && deep * counts_[1][static_cast<std::size_t>(y + r + same)] == most_rows_)
        ++same;
      if (same > 0) {
        loops_.scale(rows + r * w, scales_.data(), same * w);
      } else {
        same = 1;
        divide(rows + r * w, z, y + r);
      }
    }
  }

  void band(void* const* operands, std::int64_t plane, std::int64_t z0, std::int64_t y0, T* own) const {
    const Axis &deep = axes_[0], &high = axes_[1], &wide = axes_[2];
    const std::int64_t depth = std::min(depth_, deep.out - z0), height = std::min(height_, high.out - y0), w = wide.out;
    if (down_first_)
      return band_down_first(static_cast<const T*>(operands[0]) + plane * deep.in * high.in * wide.in,
                             static_cast<T*>(operands[1]) + plane * deep.out * high.out * w, z0, depth, y0, height,
                             own);
    const std::int64_t z_in = reach(deep, depth), y_in = reach(high, height);
    T* const padded = own;
    T* const along = padded + (padded_ ? row_ : 0) * 4;
    T* const last = along + z_in * (y_in + height) * w;
    const bool flat = z_in == 1 && !widen_;
    if (padded_) std::fill_n(padded, row_ * 4, neutral_);
    const std::int64_t size = widen_ ? 2 : static_cast<std::int64_t>(sizeof(T));
    const auto* x = static_cast<const std::byte*>(operands[0]) + plane * deep.in * high.in * wide.in * size;
    auto* out = static_cast<std::byte*>(operands[1]) + plane * deep.out * high.out * w * size;
    T* const planes = flat ? reinterpret_cast<T*>(out + (z0 * high.out + y0) * w * size) : along + z_in * y_in * w;
    for (std::int64_t z = 0; z < z_in; ++z) {
      const std::int64_t at_z = deep.at(z0) + z;
      T* const rows = along + z * y_in * w;
      for (std::int64_t y = 0; y < y_in; ++y) {
        const std::int64_t at_y = high.at(y0) + y;
        T* const to = rows + y * w;
        if (at_z < 0 || at_z >= deep.in || at_y < 0 || at_y >= high.in) {
          std::fill_n(to, w, neutral_);
          continue;
        }
        const std::byte* from = x + (at_z * high.in + at_y) * wide.in * size;
        // Rows are padded in turn in four places: one is not read while it is being written.
        if (padded_)
          loops_.windows(pad(from, padded + y % 4 * row_), to, w, wide.stride, wide.window, wide.dilation);
        else
          fold_row(reinterpret_cast<const T*>(from), to);
      }
      across(rows, y_in, height, planes + z * height * w);
    }
    if (flat) {
      if (kind_ == PoolKind::Average) divide_rows(planes, z0, y0, height);
      return;
    }
    for (std::int64_t z = 0; z < depth; ++z)
      for (std::int64_t y = 0; y < height; ++y) {
        std::byte* to = out + ((z0 + z) * high.out + y0 + y) * w * size;
        T* row = widen_ ? last : reinterpret_cast<T*>(to);
        loops_.rows(planes + (z * deep.stride * height + y) * w, deep.dilation * height * w, deep.window, row, w);
        if (kind_ == PoolKind::Average) divide(row, z0 + z, y0 + y);
        if constexpr (std::is_same_v<T, float>)
          if (widen_) narrow_(row, reinterpret_cast<std::uint16_t*>(to), w);
      }
  }
  // Windows along a row as it lies in the input.
  void fold_row(const T* from, T* to) const {
    const Axis& wide = axes_[2];
    const auto fold_one = [&](std::int64_t o) {
      const auto [first, count] = wide.inside(o);
      loops_.rows(from + first, wide.dilation, count, to + o, 1);
    };
    for (std::int64_t o = 0; o < first_whole_; ++o) fold_one(o);
    if (end_whole_ > first_whole_)
      loops_.windows(from + wide.at(first_whole_), to + first_whole_, end_whole_ - first_whole_, wide.stride,
                     wide.window, wide.dilation);
    for (std::int64_t o = end_whole_; o < wide.out; ++o) fold_one(o);
  }
  // Each of n output rows of a plane. A maximum may count an element twice: runs of 2, 4, ... rows are folded in place
  // first.
  void across(T* rows, std::int64_t in, std::int64_t n, T* out) const {
    const Axis& a = axes_[1];
    const std::int64_t w = axes_[2].out;
    std::int64_t run = 1;
    if (kind_ == PoolKind::Max && a.window >= 4)
      for (; 2 * run <= a.window; run *= 2)
        loops_.rows(rows, run * a.dilation * w, 2, rows, (in - run * a.dilation) * w);
    const std::int64_t count = run == 1 ? a.window : run == a.window ? 1 : 2;
    const std::int64_t step = (run == 1 ? 1 : a.window - run) * a.dilation * w;
    if (a.stride == 1) return loops_.rows(rows, step, count, out, n * w);
    for (std::int64_t o = 0; o < n; ++o) loops_.rows(rows + o * a.stride * w, step, count, out + o * w, w);
  }

  const T* pad(const std::byte* from, T* to) const {
    const Axis& wide = axes_[2];
    T* const at = to + wide.begin;
    if constexpr (std::is_same_v<T, float>) {
      if (widen_) {
        widen_(reinterpret_cast<const std::uint16_t*>(from), at, wide.in);
        return to;
      }
    }
    std::copy_n(reinterpret_cast<const T*>(from), wide.in, at);
    return to;
  }

  std::array<Axis, 3> axes_;
  PlaneLoops<T> loops_;
  PoolKind kind_;
  T neutral_{};
  void (*widen_)(const std::uint16_t*, float*, std::int64_t) = nullptr;
  void (*narrow_)(const float*, std::uint16_t*, std::int64_t) = nullptr;
  bool padded_ = false, down_first_ = false;
  std::int64_t first_whole_ = 0, end_whole_ = 0;  // windows of a row that lie within the input
  std::int64_t together_ = 1;                     // rows that are folded down first
  std::int64_t row_ = 0, depth_ = 1, height_ = 1, depths_ = 1, heights_ = 1, planes_ = 1, tasks_ = 1, task_bytes_ = 0;
  std::array<std::vector<T>, 3> counts_;  // of the positions of windows that count, by axes
  // Most rows of the output have windows of as many rows of the input, and are multiplied by these, some at a time.
  T most_rows_{};
  std::vector<T> scales_;
};

std::string refuses(const PlanePoolConfig& c) {
  if (std::string why = plane_pool_refusal(c); !why.empty()) return why;
  const auto axes = plane_axes(c);
  if (padded_row(axes[2]) > kLongestRow) return "a row longer than a task keeps";
  // A band of one row has to fit as well.
  for (int d = 0; d < 2; ++d)
    if ((axes[static_cast<std::size_t>(d)].window - 1) * axes[static_cast<std::size_t>(d)].dilation >= kLongestRow)
      return "a window of many rows";
  const std::int64_t deep = (axes[0].window - 1) * axes[0].dilation + 1,
                     high = (axes[1].window - 1) * axes[1].dilation + 1;
  const auto band = bounded_product({deep, high + 1, axes[2].out}, std::int64_t{1} << 24);
  if (!band) return "a window of many rows";
  for (const Axis& a : axes) {
    if (a.out > std::int64_t{1} << 20) return "a long axis";
    for (std::int64_t o = 0; o < a.out; ++o)
      if (a.positions(o, 0, a.in) == 0) return "a window that holds nothing but padding";
  }
  return "";
}
std::unique_ptr<Kernel> make(const PlanePoolConfig& c, PackedConstants&) { return made_for_type<PlanePool>(c); }

std::string stack_refuses(const PlanePoolConfig& c) {
  if (std::string why = refuses(c); !why.empty()) return why;
  return plane_stack_refusal(c);
}

constexpr Candidate<PlanePoolConfig> kPlanePoolCandidates[] = {{"plane_stack", stack_refuses, make_plane_stack},
                                                               {"planes", refuses, make}};

}  // namespace
}  // namespace plane_pool_cc

std::string plane_pool_refusal(const PlanePoolConfig& c) {
  const bool real = c.type == DataType::Float || c.type == DataType::Double || c.type == DataType::Float16 ||
                    c.type == DataType::BFloat16;
  if (!real && (c.kind != PoolKind::Max || (c.type != DataType::Int8 && c.type != DataType::Uint8)))
    return "does not compute " + std::string(data_type_name(c.type));
  const std::size_t rank = c.x.size();
  if (rank < 3 || rank > 5 || c.out.size() != rank) return "another number of spatial dimensions than 1 to 3";
  for (const auto* list : {&c.window, &c.strides, &c.dilations, &c.pads_begin, &c.pads_end})
    if (list->size() + 2 != rank || !bounded(*list)) return "steps beyond any memory";
  for (const Shape* dims : {&c.x, &c.out})
    for (std::int64_t d : *dims)
      if (d < 1) return "an empty tensor";
  if (std::string why = extent_refusal({&c.x, &c.out}); !why.empty()) return why;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    if (c.window[d] < 1 || c.window[d] > 1024 || c.strides[d] < 1 || c.dilations[d] < 1 || c.pads_begin[d] < 0 ||
        c.out[d + 2] > kMostExtent / 1024)
      return "an odd window";
    if (!bounded_product({c.out[d + 2], c.strides[d]}) || !bounded_product({c.window[d], c.dilations[d]}))
      return "steps beyond any memory";
  }
  return "";
}

std::span<const Candidate<PlanePoolConfig>> plane_pool_candidates() { return kPlanePoolCandidates; }

}  // namespace norn::kernels
