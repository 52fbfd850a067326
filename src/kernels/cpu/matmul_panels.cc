// Products with a constant matrix: some rows at a time, a stretch of which stays in the second cache, times one panel
// of the matrix after the other (separable.h), of which the next is fetched from memory meanwhile. The bias, a sum with
// another tensor and bounds are applied in registers, other steps to some panels' columns while these are in the second
// cache. No code is generated, so that a plan for another number of rows is cheap to make, and panels
// are those of the product of fewer rows. Of a few more rows, oneDNN's product of a large matrix takes up to a tenth
// less, but where a CPU halves wide vectors; of many by one that is not large, up to a tenth longer.
#include <algorithm>

#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/panel_steps.h"
#include "kernels/cpu/pieces.h"
#include "kernels/cpu/separable.h"

namespace norn::kernels {
inline namespace matmul_panels_cc {
namespace {

// Rows of a tile, a multiple of what registers hold; more where products take as long as loads from the second cache.
constexpr std::int64_t kTileRows = 96, kTallTileRows = 132, kStep = 6;
constexpr std::int64_t kDepth = 1024;  // of a stretch of rows
constexpr std::int64_t kFewestRows = 5;
// Rows that any matrix is multiplied by, with vectors of 16 floats and with shorter ones; and with those of 16 the
// least that one of up to kMediumMatrix elements is, which each tile reads once. Where a CPU halves vectors, any
// number.
constexpr std::int64_t kManyLanes = 16, kMostFewRows = 64, kMostRowsOfFewLanes = 24;
constexpr std::int64_t kManyRows = 512, kMediumMatrix = 1 << 20;
constexpr std::int64_t kSmallMatrix = 1 << 16;  // elements, for any number of rows
constexpr std::int64_t kLeastLanes = 8;
constexpr std::int64_t kTogether = 4;  // panels whose columns are finished at a time
constexpr double kProductNs = 0.01, kWeightNs = 0.1;

class PanelMatMul final : public Kernel {
 public:
  PanelMatMul(const MatMulConfig& config, PackedConstants& packed)
      : c_(config),
        s_(config),
        table_(separable_table()),
        steps_(config),
        width_(gemm_table().width),
        panels_((s_.n + width_ - 1) / width_),
        weights_(packed_panels(config, s_, packed)) {
    const std::int64_t most = halves_wide_vectors() ? kTallTileRows : kTileRows, tiles = (s_.m + most - 1) / most;
    rows_ = round_up((s_.m + tiles - 1) / tiles, kStep);
    const std::int64_t stretches = (s_.k + kDepth - 1) / kDepth;
    depth_ = (s_.k + stretches - 1) / stretches;
    units_ = (s_.m + rows_ - 1) / rows_ * panels_;
    const double each = static_cast<double>(s_.n) * static_cast<double>(s_.k);
    const double ns = std::max(static_cast<double>(s_.m) * kProductNs, kWeightNs) * each;
    tasks_ = std::min(units_, contraction_pieces(ns, most_pieces(ns, 32)));
  }

  bool reads(std::size_t i) const override { return i != 1; }

  void run(void* const* operands, void*) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      const std::int64_t end = units_ * (task + 1) / tasks_;
      for (std::int64_t unit = units_ * task / tasks_; unit < end;) {
        const std::int64_t panel = unit % panels_, count = std::min(end - unit, panels_ - panel);
        tile(operands, unit / panels_ * rows_, panel, panel + count);
        unit += count;
      }
    });
  }

 private:
  // Rows from `first` on, of the columns of panels [begin, end).
  void tile(void* const* operands, std::int64_t first, std::int64_t begin, std::int64_t end) const {
    const std::int64_t rows = std::min(rows_, s_.m - first);
    const auto* const a = static_cast<const float*>(operands[0]) + first * s_.a_row;
    auto* const out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const float* const bias = steps_.bias(operands);
    const float* const summand = steps_.added(operands);
    for (std::int64_t k0 = 0; k0 < s_.k; k0 += depth_) {
      const std::int64_t deep = std::min(depth_, s_.k - k0);
      const bool begins = k0 == 0, ends = k0 + deep == s_.k;
      for (std::int64_t p = begin, finished = begin; p < end; ++p) {
        const std::int64_t column = p * width_, columns = std::min(width_, s_.n - column), at = first * s_.n + column;
        const float* const added = !begins ? out + at : summand == nullptr ? nullptr : summand + at;
        const auto* const b = static_cast<const float*>(weights_.get()) + column * s_.k + k0 * width_;
        const Upcoming next = {p + 1 < end ? b + width_ * s_.k : nullptr,
                               deep * width_ * static_cast<std::int64_t>(sizeof(float))};
        table_.multiply_panel(
            rows, columns, deep, a + k0, s_.a_row, b, width_, next, begins && bias != nullptr ? bias + column : nullptr,
            added, ends ? steps_.low() : -PanelSteps::kNone, ends ? steps_.high() : PanelSteps::kNone, out + at, s_.n);
        if (!steps_.remain() || !ends || (p + 1 - finished < kTogether && p + 1 < end)) continue;
        const std::int64_t from = finished * width_;
        steps_.apply(operands, out, s_.n, first, first + rows, from, column + columns - from);
        finished = p + 1;
      }
    }
  }

  const MatMulConfig c_;
  const MatMulShape s_;
  const SeparableTable& table_;
  const PanelSteps steps_;
  const std::int64_t width_, panels_;
  std::int64_t rows_ = 1, depth_ = 1, units_ = 1, tasks_ = 1;
  const std::shared_ptr<const void> weights_;
};

}  // namespace
}  // namespace matmul_panels_cc

std::string panel_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  if (!c.b_constant.known()) return "B is not constant";
  const MatMulShape s(c);
  if (s.batches != 1) return "more products than one";
  if (s.a_column != 1) return "elements of A's rows are apart";
  if (s.m < kFewestRows) return "fewer than " + std::to_string(kFewestRows) + " rows";
  const SeparableTable& table = separable_table();
  if (table.lanes < kLeastLanes || gemm_table().width % table.lanes != 0 || gemm_table().width > table.width)
    return "is for vectors of 8 floats and more";
  const bool wide = table.lanes >= kManyLanes;
  const std::int64_t most = wide ? kMostFewRows : kMostRowsOfFewLanes;
  if (s.m > most && !(wide && halves_wide_vectors()) &&
      s.n > (wide && s.m >= kManyRows ? kMediumMatrix : kSmallMatrix) / s.k)
    return "leaves more than " + std::to_string(most) + " rows times a large matrix to those below";
  if (round_up(s.n, table.lanes) * 8 > s.n * 9) return "columns that do not fill vectors";
  return PanelSteps::refuses(c);
}

std::unique_ptr<Kernel> make_panel_matmul(const MatMulConfig& config, PackedConstants& packed) {
  return std::make_unique<PanelMatMul>(config, packed);
}

}  // namespace norn::kernels
