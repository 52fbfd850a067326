// Products by packed panels: some rows at a time, a stretch of which stays in the second cache, times one panel of B
// after the other (separable.h), of which the next is fetched from memory meanwhile. The bias, a sum with another
// tensor and bounds are applied in registers, other steps to some panels' columns while these are in the second cache.
// No code is generated, so that a plan for another number of rows is cheap to make, and panels are those of the product
// of fewer rows.
//
// With vectors of 16 floats, oneDNN's product of a large matrix and a few more rows takes up to a tenth less, but where
// a CPU halves wide vectors; of many by one that is not large, up to a tenth longer. With vectors of 8 it takes up to a
// tenth longer throughout. A B that is not constant is packed some panels at a time, which all rows are multiplied by
// while they are in the second cache, where that pays.
#include <algorithm>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/contraction.h"
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

// Rows of a tile, a multiple of what registers hold; more where products take as long as loads from the second cache,
// and fewer where that has but 256 or 512 KiB.
constexpr std::int64_t kTileRows = 96, kTallTileRows = 132, kShortTileRows = 48, kLargeCacheTileRows = 204, kStep = 6;
constexpr std::int64_t kDepth = 1024;  // of a stretch of rows
constexpr std::int64_t kFewestRows = 5;
// Rows that any matrix is multiplied by with vectors of 16 floats, and the least that one of up to kMediumMatrix
// elements is, which each tile reads once. Where a CPU halves vectors or has a large second cache, and with shorter
// vectors, any number.
constexpr std::int64_t kManyLanes = 16, kMostFewRows = 64;
constexpr std::int64_t kManyRows = 512, kMediumMatrix = 1 << 20;
constexpr std::int64_t kSmallMatrix = 1 << 16;  // elements, for any number of rows
constexpr std::int64_t kLeastLanes = 8;
constexpr std::int64_t kTogether = 4;  // panels whose columns are finished at a time
// Panels that all rows are multiplied by before the next are read: of a constant as many as stay in the third cache, so
// that it is read from memory once, and of what is packed first as many as stay in the second.
constexpr std::int64_t kGroup = 32, kPackedGroup = 4;
// Rows of a B that is not constant and that many bytes, or a multiple, apart take each other's place in the first
// cache: for so many rows of A it takes less time to pack it.
constexpr std::int64_t kClashBytes = 2048, kFewestRowsToPackFor = 32;
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
        weights_(config.b_constant.known() ? packed_panels(config, s_, packed) : nullptr) {
    const bool wide = table_.lanes >= kManyLanes;
    const std::int64_t most = !wide                      ? kShortTileRows
                              : halves_wide_vectors()    ? kTallTileRows
                              : has_large_second_cache() ? kLargeCacheTileRows
                                                         : kTileRows;
    const std::int64_t tiles = (s_.m + most - 1) / most;
    rows_ = round_up((s_.m + tiles - 1) / tiles, kStep);
    tiles_ = (s_.m + rows_ - 1) / rows_;
    const std::int64_t stretches = (s_.k + kDepth - 1) / kDepth;
    depth_ = (s_.k + stretches - 1) / stretches;
    const double each = static_cast<double>(s_.n) * static_cast<double>(s_.k);
    const double ns = std::max(static_cast<double>(s_.m) * kProductNs, kWeightNs) * each;
    tasks_ = contraction_pieces(ns, most_pieces(ns, 32));
    if (weights_) {
      group_ = wide ? panels_ : std::min(panels_, kGroup);
      units_ = tiles_ * panels_;
      tasks_ = std::min(units_, tasks_);
      return;
    }
    group_ = std::min(panels_, kPackedGroup);
    const std::int64_t groups = (panels_ + group_ - 1) / group_;
    // Each part of the rows packs B again.
    parts_ = std::clamp<std::int64_t>((tasks_ + groups - 1) / groups, 1, std::max<std::int64_t>(1, tiles_ / 2));
    units_ = groups * parts_;
    tasks_ = std::min(units_, tasks_);
    task_bytes_ = align64(static_cast<std::size_t>(group_ * width_ * depth_) * sizeof(float));
  }

  std::size_t scratch_bytes() const override { return task_bytes_ * static_cast<std::size_t>(tasks_); }
  bool reads(std::size_t i) const override { return i != 1 || !weights_; }

  void run(void* const* operands, void* scratch) const override {
    if (!weights_) return pack_and_multiply(operands, static_cast<char*>(scratch));
    const auto* const weights = static_cast<const float*>(weights_.get());
    base::parallel_for(tasks_, [&](std::int64_t task) {
      for (auto [unit, end] = base::part_of(units_, tasks_, task); unit < end;) {
        const Place at = place(unit);
        const std::int64_t count = std::min(end - unit, at.panels);
        const std::int64_t next = next_unit(unit + count - 1, units_, task, tasks_);
        for (std::int64_t k0 = 0; k0 < s_.k; k0 += depth_) {
          const float* const first = weights + (at.panel * s_.k + k0) * width_;
          const float* const then = k0 + depth_ < s_.k ? first + depth_ * width_
                                    : next < units_    ? weights + place(next).panel * s_.k * width_
                                                       : nullptr;
          multiply(operands, at.tile, k0, at.panel, at.panel + count, first, width_ * s_.k, then);
        }
        unit += count;
      }
    });
  }

 private:
  // Of a unit: its tile and panel, and how many panels from that on belong to the same tile and group.
  struct Place {
    std::int64_t tile, panel, panels;
  };
  Place place(std::int64_t unit) const {
    const std::int64_t group = unit / (tiles_ * group_) * group_, within = unit - group * tiles_;
    const std::int64_t wide = std::min(group_, panels_ - group);
    return {within / wide, group + within % wide, wide - within % wide};
  }

  void pack_and_multiply(void* const* operands, char* scratch) const {
    const auto* const b = static_cast<const float*>(operands[1]);
    base::parallel_for(tasks_, [&](std::int64_t task) {
      auto* const packed = reinterpret_cast<float*>(scratch + task_bytes_ * static_cast<std::size_t>(task));
      for (auto [unit, last_unit] = base::part_of(units_, tasks_, task); unit < last_unit; ++unit) {
        const std::int64_t begin = unit / parts_ * group_, end = std::min(panels_, begin + group_);
        const std::int64_t part = unit % parts_;
        for (std::int64_t k0 = 0; k0 < s_.k; k0 += depth_) {
          const std::int64_t deep = std::min(depth_, s_.k - k0);
          pack_product_panels(b + k0 * s_.b_row + begin * width_ * s_.b_column, s_.b_row, s_.b_column, deep,
                              s_.n - begin * width_, width_, 0, end - begin, packed);
          for (auto [tile, last_tile] = base::part_of(tiles_, parts_, part); tile < last_tile; ++tile)
            multiply(operands, tile, k0, begin, end, packed, width_ * deep, nullptr);
        }
      }
    });
  }

  // A stretch of a tile's rows, from k0 on, times panels [begin, end), the first of which lies at b; `then`: the panel
  // that is read after them, or null.
  void multiply(void* const* operands, std::int64_t tile, std::int64_t k0, std::int64_t begin, std::int64_t end,
                const float* b, std::int64_t panel_stride, const float* then) const {
    const std::int64_t first = tile * rows_, rows = std::min(rows_, s_.m - first);
    const auto* const a = static_cast<const float*>(operands[0]) + first * s_.a_row;
    auto* const out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const float* const bias = steps_.bias(operands);
    const float* const summand = steps_.added(operands);
    const std::int64_t deep = std::min(depth_, s_.k - k0);
    const bool begins = k0 == 0, ends = k0 + deep == s_.k;
    for (std::int64_t p = begin, finished = begin; p < end; ++p, b += panel_stride) {
      const std::int64_t column = p * width_, columns = std::min(width_, s_.n - column), at = first * s_.n + column;
      const float* const added = !begins ? out + at : summand == nullptr ? nullptr : summand + at;
      const Upcoming next = {p + 1 < end ? b + panel_stride : then,
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

  const MatMulConfig c_;
  const MatMulShape s_;
  const SeparableTable& table_;
  const PanelSteps steps_;
  const std::int64_t width_, panels_;
  std::int64_t rows_ = 1, tiles_ = 1, depth_ = 1;
  std::int64_t group_ = 1, parts_ = 1, units_ = 1, tasks_ = 1;
  std::size_t task_bytes_ = 0;                 // of packed panels
  const std::shared_ptr<const void> weights_;  // null if B is not constant
};

}  // namespace
}  // namespace matmul_panels_cc

std::string panel_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  const MatMulShape s(c);
  if (s.batches != 1) return "more products than one";
  if (s.a_column != 1) return "elements of A's rows are apart";
  const SeparableTable& table = separable_table();
  if (table.lanes < kLeastLanes || gemm_table().width % table.lanes != 0 || gemm_table().width > table.width)
    return "is for vectors of 8 floats and more";
  const bool wide = table.lanes >= kManyLanes;
  const bool packs = !c.b_constant.known();
  if (packs && wide) return "B is not constant";
  if (packs && (s.b_column != 1 || s.b_row * static_cast<std::int64_t>(sizeof(float)) % kClashBytes != 0))
    return "leaves a B that is not constant to those below, unless its rows are a multiple of 2 KiB apart";
  const std::int64_t fewest = packs ? kFewestRowsToPackFor : kFewestRows;
  if (s.m < fewest) return "fewer than " + std::to_string(fewest) + " rows";
  if (wide && s.m > kMostFewRows && !halves_wide_vectors() && !has_large_second_cache() &&
      s.n > (s.m >= kManyRows ? kMediumMatrix : kSmallMatrix) / s.k)
    return "leaves more than " + std::to_string(kMostFewRows) + " rows times a large matrix to those below";
  // A single vector behind the last pair of them has few sums at a time, which wait for each other.
  const std::int64_t columns = round_up(s.n, table.lanes);
  if (!wide && columns * 8 > s.n * 9 && columns / table.lanes % 2 != 0)
    return "columns that do not fill vectors, of which the last is alone";
  return PanelSteps::refuses(c);
}

std::unique_ptr<Kernel> make_panel_matmul(const MatMulConfig& config, PackedConstants& packed) {
  return std::make_unique<PanelMatMul>(config, packed);
}

}  // namespace norn::kernels
