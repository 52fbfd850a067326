// The rows of a window are folded first, over their whole length, into a row that is padded with what changes nothing;
// then the windows along it.
#include "kernels/cpu/plane_pool.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
namespace {

constexpr std::int64_t kLongestRow = 8192;  // elements, that a task keeps on its stack

struct Axis {
  std::int64_t in, out, window, stride, dilation, begin, end;
  // The first position of window `o` in the input, which may lie before it.
  std::int64_t at(std::int64_t o) const { return o * stride - begin; }
  // How many of its positions lie in [low, high).
  std::int64_t positions(std::int64_t o, std::int64_t low, std::int64_t high) const {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < window; ++k) count += at(o) + k * dilation >= low && at(o) + k * dilation < high;
    return count;
  }
};

std::array<Axis, 3> axes_of(const PlanePoolConfig& c) {
  const Spatial3 in = spatial3(c.x, 2, 1), out = spatial3(c.out, 2, 1), window = spatial3(c.window, 0, 1),
                 strides = spatial3(c.strides, 0, 1), dilations = spatial3(c.dilations, 0, 1),
                 begin = spatial3(c.pads_begin, 0, 0), end = spatial3(c.pads_end, 0, 0);
  std::array<Axis, 3> axes;
  for (std::size_t d = 0; d < 3; ++d) axes[d] = {in[d], out[d], window[d], strides[d], dilations[d], begin[d], end[d]};
  return axes;
}
// Of the row along the last axis, with its padding.
std::int64_t padded_row(const Axis& a) {
  return std::max((a.out - 1) * a.stride + (a.window - 1) * a.dilation + 1, a.begin + a.in);
}

template <class T>
class PlanePool final : public Kernel {
 public:
  explicit PlanePool(const PlanePoolConfig& c) : axes_(axes_of(c)), loops_(plane_loops<T>(c.kind)), kind_(c.kind) {
    planes_ = c.x[0] * c.x[1];
    if (kind_ != PoolKind::Average) return;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::int64_t o = 0; o < axes_[d].out; ++o) {
        const Axis& a = axes_[d];
        counts_[d].push_back(c.count_include_pad ? a.positions(o, -a.begin, a.in + a.end) : a.positions(o, 0, a.in));
      }
  }

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[1]);
    const Axis &deep = axes_[0], &high = axes_[1], &wide = axes_[2];
    const std::int64_t rows = deep.out * high.out;
    const double row_ns =
        10 + 0.05 * static_cast<double>(deep.window * high.window * wide.in + wide.window * wide.out) * sizeof(T);
    parallel_ranges(planes_ * rows, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      std::array<T, kLongestRow> row;
      const T neutral = kind_ == PoolKind::Average             ? T{0}
                        : std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                               : std::numeric_limits<T>::lowest();
      std::fill_n(row.begin(), padded_row(axes_[2]), neutral);
      for (std::int64_t i = begin; i < end; ++i) {
        const T* plane = x + i / rows * axes_[0].in * axes_[1].in * axes_[2].in;
        const std::int64_t z = i % rows / axes_[1].out, y = i % axes_[1].out;
        bool first = true;
        for (std::int64_t kz = 0; kz < axes_[0].window; ++kz) {
          const std::int64_t at_z = axes_[0].at(z) + kz * axes_[0].dilation;
          if (at_z < 0 || at_z >= axes_[0].in) continue;
          for (std::int64_t ky = 0; ky < axes_[1].window; ++ky) {
            const std::int64_t at_y = axes_[1].at(y) + ky * axes_[1].dilation;
            if (at_y < 0 || at_y >= axes_[1].in) continue;
            loops_.rows(plane + (at_z * axes_[1].in + at_y) * axes_[2].in, row.data() + axes_[2].begin, axes_[2].in,
                        first);
            first = false;
          }
        }
        T* to = out + i * axes_[2].out;
        loops_.windows(row.data(), to, axes_[2].out, axes_[2].stride, axes_[2].window, axes_[2].dilation);
        if (kind_ == PoolKind::Average) divide(to, z, y);
      }
    });
  }

 private:
  void divide(T* to, std::int64_t z, std::int64_t y) const {
    const std::int64_t rows = counts_[0][static_cast<std::size_t>(z)] * counts_[1][static_cast<std::size_t>(y)];
    for (std::size_t i = 0; i < counts_[2].size(); ++i) to[i] /= static_cast<T>(rows * counts_[2][i]);
  }

  std::array<Axis, 3> axes_;
  PlaneLoops<T> loops_;
  PoolKind kind_;
  std::int64_t planes_;
  std::array<std::vector<std::int64_t>, 3> counts_;  // of the positions of windows that count, by axes
};

std::string refuses(const PlanePoolConfig& c) {
  const bool real = c.type == DataType::Float || c.type == DataType::Double;
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
  const auto axes = axes_of(c);
  if (padded_row(axes[2]) > kLongestRow) return "a row longer than a task keeps";
  for (const Axis& a : axes) {
    if (a.out > std::int64_t{1} << 20) return "a long axis";
    for (std::int64_t o = 0; o < a.out; ++o)
      if (a.positions(o, 0, a.in) == 0) return "a window that holds nothing but padding";
  }
  return "";
}
std::unique_ptr<Kernel> make(const PlanePoolConfig& c, PackedConstants&) {
  switch (c.type) {
    case DataType::Float: return std::make_unique<PlanePool<float>>(c);
    case DataType::Double: return std::make_unique<PlanePool<double>>(c);
    case DataType::Int8: return std::make_unique<PlanePool<std::int8_t>>(c);
    default: return std::make_unique<PlanePool<std::uint8_t>>(c);
  }
}

constexpr Candidate<PlanePoolConfig> kCandidates[] = {{"planes", refuses, make}};

}  // namespace

std::span<const Candidate<PlanePoolConfig>> plane_pool_candidates() { return kCandidates; }

}  // namespace norn::kernels
