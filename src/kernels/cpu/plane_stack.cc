// Pooling of small planes, as many together as fill vectors: planes become columns, so that rows and windows are folded
// whole vectors at a time however short they are, and what comes of them is turned back.
#include <algorithm>
#include <string>
#include <type_traits>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/plane_axes.h"
#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {
inline namespace plane_stack_cc {
namespace {

constexpr std::int64_t kVectorBytes = 64;
constexpr std::int64_t kStackBytes = 64 << 10, kMostStackBytes = 512 << 10;

// Elements of scratch memory for one plane of a stack.
struct PlaneParts {
  std::int64_t in, row, layers, out;

  explicit PlaneParts(const std::array<PlaneAxis, 3>& axes)
      : in(axes[0].in * axes[1].in * axes[2].in),
        row(padded_row(axes[2])),
        layers(axes[0].window > 1 ? axes[0].window * axes[2].in : 0),
        out(axes[0].out * axes[1].out * axes[2].out) {}
  std::int64_t all(bool is_half) const { return in + row + layers + out + (is_half ? std::max(in, out) : 0); }
};

template <class T>
constexpr std::int64_t kLanes = kVectorBytes / static_cast<std::int64_t>(sizeof(T));

// T: what half types are computed in, else the elements.
template <class T>
class PlaneStack final : public Kernel {
 public:
  explicit PlaneStack(const PlanePoolConfig& c)
      : axes_(plane_axes(c)),
        parts_(axes_),
        loops_(plane_loops<T>(c.kind)),
        turn_(transpose_loops(sizeof(T)).block),
        halves_(c.type),
        neutral_(c.kind == PoolKind::Average ? T{0} : kLeastOf<T>),
        planes_(c.x[0] * c.x[1]) {
    const std::int64_t one = parts_.all(bool{halves_}) * static_cast<std::int64_t>(sizeof(T));
    together_ = kLanes<T> * 4;
    while (together_ > kLanes<T> && together_ * one > kStackBytes) together_ /= 2;
    stacks_ = (planes_ + together_ - 1) / together_;
    const double steps = static_cast<double>(parts_.in * 3 + parts_.out * (axes_[0].window + axes_[1].window + 6));
    tasks_ = piece_count(stacks_, steps * static_cast<double>(together_ * sizeof(T)) * 0.02 + 50);
    task_bytes_ = round_up(together_ * one + axes_[2].out * static_cast<std::int64_t>(sizeof(T)), 64);
    if (c.kind != PoolKind::Average) return;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::int64_t o = 0; o < axes_[d].out; ++o) counts_[d].push_back(axes_[d].counted(o, c.count_include_pad));
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(task_bytes_ * tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      T* const own = reinterpret_cast<T*>(static_cast<std::byte*>(scratch) + task_bytes_ * task);
      for (auto [s, last] = base::part_of(stacks_, tasks_, task); s < last; ++s) {
        const std::int64_t first = s * together_;
        stack(static_cast<const std::byte*>(operands[0]), static_cast<std::byte*>(operands[1]), first,
              std::min(together_, planes_ - first), own);
      }
    });
  }

 private:
  void stack(const std::byte* x, std::byte* out, std::int64_t first, std::int64_t planes, T* own) const {
    const std::int64_t size = halves_ ? 2 : static_cast<std::int64_t>(sizeof(T));
    T *const columns = own, *const row = columns + parts_.in * together_, *const layers = row + parts_.row * together_,
             *const made = layers + parts_.layers * together_, *const wide = made + parts_.out * together_,
             *const factors = own + parts_.all(bool{halves_}) * together_;
    const void* from = x + first * parts_.in * size;
    if (halves_) {
      halves_.widen(from, wide, planes * parts_.in);
      from = wide;
    }
    turn_(from, parts_.in, columns, planes, planes, parts_.in);
    fold(columns, planes, row, layers, counts_[2].empty() ? nullptr : factors, made);
    void* const to = out + first * parts_.out * size;
    turn_(made, planes, halves_ ? wide : to, parts_.out, parts_.out, planes);
    if (halves_) halves_.narrow(wide, to, planes * parts_.out);
  }

  void fold(const T* x, std::int64_t planes, T* row, T* layers, T* factors, T* out) const {
    const PlaneAxis &deep = axes_[0], &high = axes_[1], &wide = axes_[2];
    const std::int64_t line = wide.in * planes;
    T* const inner = row + wide.begin * planes;
    std::fill(row, inner, neutral_);
    std::fill(inner + line, row + parts_.row * planes, neutral_);
    std::int64_t rows_before = 0;
    for (std::int64_t z = 0; z < deep.out; ++z) {
      const auto [first_z, count_z] = deep.inside(z);
      for (std::int64_t y = 0; y < high.out; ++y, out += wide.out * planes) {
        const auto [first_y, count_y] = high.inside(y);
        const T* from = x + (first_z * high.in + first_y) * line;
        for (std::int64_t l = 0; l < count_z; ++l)
          loops_.rows(from + l * deep.dilation * high.in * line, high.dilation * line, count_y,
                      count_z == 1 ? inner : layers + l * line, line);
        if (count_z > 1) loops_.rows(layers, line, count_z, inner, line);
        if (factors != nullptr) {
          const std::int64_t rows = counts_[0][static_cast<std::size_t>(z)] * counts_[1][static_cast<std::size_t>(y)];
          for (std::size_t o = 0; rows != rows_before && o < counts_[2].size(); ++o)
            factors[o] = T{1} / static_cast<T>(rows * counts_[2][o]);
          rows_before = rows;
        }
        loops_.columns(row, wide.stride * planes, wide.dilation * planes, wide.window, factors, out, wide.out, planes);
      }
    }
  }

  std::array<PlaneAxis, 3> axes_;
  PlaneParts parts_;
  PlaneLoops<T> loops_;
  decltype(TransposeLoops::block) turn_;
  Halves halves_;
  T neutral_;
  std::int64_t planes_, together_ = 1, stacks_ = 1, tasks_ = 1, task_bytes_ = 0;
  std::array<std::vector<std::int64_t>, 3> counts_;  // of an average
};

// Of a row, up to which planes are folded faster together than each by itself.
std::int64_t most_row_bytes(const PlanePoolConfig& c, const PlaneAxis& wide) {
  if (element_size(c.type) == 1 || wide.stride > 2) return kMostStackBytes;
  if (wide.stride == 2 || (c.kind == PoolKind::Max && wide.window >= 4)) return 200;
  return wide.window >= 3 ? 96 : 64;
}

}  // namespace
}  // namespace plane_stack_cc

std::string plane_stack_refusal(const PlanePoolConfig& c) {
  const auto axes = plane_axes(c);
  const std::int64_t bytes = static_cast<std::int64_t>(element_size(widened_half(c.type))),
                     lanes = kVectorBytes / bytes;
  if (2 * c.x[0] * c.x[1] < lanes) return "fewer planes than fill half a vector";
  for (const PlaneAxis& a : axes)
    if (a.in > kMostStackBytes || a.out > kMostStackBytes || a.window * a.dilation > kMostStackBytes ||
        a.stride > kMostStackBytes || a.begin > kMostStackBytes)
      return "planes beyond the second cache";
  const auto in = bounded_product({axes[0].in, axes[1].in, axes[2].in}, kMostStackBytes),
             out = bounded_product({axes[0].out, axes[1].out, axes[2].out}, kMostStackBytes);
  if (!in || !out || PlaneParts(axes).all(is_half(c.type)) * kVectorBytes > kMostStackBytes)
    return "planes beyond the second cache";
  if (axes[2].in * bytes > most_row_bytes(c, axes[2])) return "rows that fill vectors by themselves";
  return "";
}
std::unique_ptr<Kernel> make_plane_stack(const PlanePoolConfig& c, PackedConstants&) {
  return made_for_type<PlaneStack>(c);
}

}  // namespace norn::kernels
