// Neighbouring dimensions of one kind are merged; then either rows are folded to a value, or rows are added up into a
// row.
#include "kernels/cpu/reduce.h"

#include <cmath>

#include "base/division.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/long_sums.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/reduce_core.h"
#include "kernels/cpu/steps.h"

namespace norn::kernels {

namespace {

// Whose partial results are floats: roots are taken of sums of squares.
FoldKind fold_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::Max: return FoldKind::Max;
    case ReduceKind::Min: return FoldKind::Min;
    case ReduceKind::L1: return FoldKind::L1;
    case ReduceKind::SumSquare:
    case ReduceKind::L2: return FoldKind::SumSquare;
    default: return FoldKind::Sum;
  }
}

}  // namespace

ReduceCore::ReduceCore(ReduceKind kind, const Shape& dims, const std::vector<bool>& reduced)
    : kind_(kind), rows_(fold_of(kind), DataType::Float) {
  struct Merged {
    std::int64_t size, stride;
    bool reduced;
  };
  std::vector<Merged> merged;
  std::int64_t stride = 1;
  for (std::size_t d = dims.size(); d-- > 0;) {  // innermost first
    if (dims[d] == 1) continue;
    if (!merged.empty() && merged.back().reduced == reduced[d])
      merged.back().size *= dims[d];
    else
      merged.push_back({dims[d], stride, reduced[d]});
    stride *= dims[d];
  }
  for (std::size_t i = merged.size(); i-- > 0;) {
    const Merged& m = merged[i];
    if (i == 0) {
      inner_ = m.size;
      inner_reduced_ = m.reduced;
    } else {
      (m.reduced ? reduced_ : kept_).push_back({m.size, m.stride});
      (m.reduced ? reduced_count_ : kept_count_) *= m.size;
    }
  }
}

float ReduceCore::finish(float v) const {
  if (kind_ == ReduceKind::Mean) return v / static_cast<float>(reduced_count_ * (inner_reduced_ ? inner_ : 1));
  if (kind_ == ReduceKind::L2) return std::sqrt(v);
  return v;
}

namespace {

constexpr std::int64_t kPart = 1024;          // columns at a time
constexpr std::int64_t kLongestSummed = 128;  // elements, of rows that are summed together

}  // namespace

void ReduceCore::sum_long_columns(int kind, const float* from, float* to, std::int64_t n) const {
  const ReduceTable& table = reduce_table();
  double totals[kPart];
  for (std::int64_t g0 = 0; g0 < reduced_count_; g0 += kRowsAtOnce) {
    for (std::int64_t g = g0; g < std::min(reduced_count_, g0 + kRowsAtOnce); ++g)
      table.accumulate(kind, from + offset_of(reduced_, g), to, n, g == g0);
    add_part(to, totals, n, g0 == 0);
  }
  narrow_sums(totals, to, n);
}

void ReduceCore::run(const float* x, float* out) const {
  const ReduceTable& table = reduce_table();
  const int kind = static_cast<int>(kind_);
  // Roots of sums of squares are taken at the end, so partial results join as their sums do.
  const int join = kind_ == ReduceKind::Max || kind_ == ReduceKind::Min || kind_ == ReduceKind::Prod
                       ? kind
                       : static_cast<int>(ReduceKind::Sum);
  const bool sums = join == static_cast<int>(ReduceKind::Sum);
  if (inner_reduced_) {
    const double unit_ns = static_cast<double>(reduced_count_) * (10 + 0.1 * static_cast<double>(inner_));
    const bool adds = kind_ == ReduceKind::Sum || kind_ == ReduceKind::Mean;
    const bool in_turn = kind_ != ReduceKind::Prod && (inner_ <= kShortRow || !sums);
    if (reduced_count_ == 1 && in_turn && rows_.takes(inner_)) {
      parallel_ranges(kept_count_, unit_ns, 16, [&](std::int64_t begin, std::int64_t end) {
        rows_(x + begin * inner_, inner_, out + begin, end - begin);
        for (std::int64_t k = begin; k < end; ++k) out[k] = finish(out[k]);
      });
      return;
    }
    if (adds && table.sum_rows && reduced_count_ == 1 && inner_ <= kLongestSummed) {  // kept rows lie without gaps
      parallel_ranges(kept_count_, unit_ns, 16, [&](std::int64_t begin, std::int64_t end) {
        table.sum_rows(x + begin * inner_, inner_, out + begin, end - begin);
        for (std::int64_t k = begin; k < end; ++k) out[k] = finish(out[k]);
      });
      return;
    }
    parallel_ranges(kept_count_, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const float* from = x + offset_of(kept_, k);
        if (sums) {
          double total = 0;
          for (std::int64_t g = 0; g < reduced_count_; ++g)
            for (std::int64_t i = 0; i < inner_; i += table.row_part)
              total += table.row(kind, from + offset_of(reduced_, g) + i, std::min(table.row_part, inner_ - i));
          out[k] = finish(static_cast<float>(total));
          continue;
        }
        float total = table.row(kind, from, inner_);
        for (std::int64_t g = 1; g < reduced_count_; ++g) {
          const float both[2] = {total, table.row(kind, from + offset_of(reduced_, g), inner_)};
          total = table.row(join, both, 2);
        }
        out[k] = finish(total);
      }
    });
    return;
  }
  // Rows of `inner_` that stay: by rows of the output and, if they are long, by parts of a row.
  const std::int64_t parts = (inner_ + kPart - 1) / kPart;
  const double unit_ns =
      static_cast<double>(reduced_count_) * (10 + 0.15 * static_cast<double>(std::min(kPart, inner_)));
  parallel_ranges(kept_count_ * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto [row, part] = base::divide(i, parts);
      const std::int64_t first = part * kPart, n = std::min(kPart, inner_ - first);
      const float* from = x + offset_of(kept_, row) + first;
      float* to = out + row * inner_ + first;
      if (sums && reduced_count_ > kManyRows) {
        sum_long_columns(kind, from, to, n);
      } else {
        for (std::int64_t g = 0; g < reduced_count_; ++g)
          table.accumulate(kind, from + offset_of(reduced_, g), to, n, g == 0);
      }
      for (std::int64_t j = 0; j < n; ++j) to[j] = finish(to[j]);
    }
  });
}

inline namespace reduce_cc {
namespace {

class Reduce final : public Kernel {
 public:
  explicit Reduce(const ReduceConfig& c) : core_(c.kind, c.x, reduced_dims(c)) {}
  void run(void* const* operands, void*) const override {
    core_.run(static_cast<const float*>(operands[0]), static_cast<float*>(operands[1]));
  }

 private:
  static std::vector<bool> reduced_dims(const ReduceConfig& c) {
    std::vector<bool> result(c.x.size());
    for (std::int64_t a : c.axes) result[static_cast<std::size_t>(a)] = true;
    return result;
  }
  ReduceCore core_;
};

std::string refuses(const ReduceConfig& c) {
  for (std::int64_t d : c.x)
    if (d < 1) return "an empty tensor";
  for (std::int64_t a : c.axes)
    if (a < 0 || static_cast<std::size_t>(a) >= c.x.size()) return "an axis outside the rank";
  return extent_refusal({&c.x});
}
std::unique_ptr<Kernel> make(const ReduceConfig& c, PackedConstants&) { return std::make_unique<Reduce>(c); }

constexpr Candidate<ReduceConfig> kReduceCandidates[] = {{"simd", refuses, make}};

}  // namespace
}  // namespace reduce_cc

std::span<const Candidate<ReduceConfig>> reduce_candidates() { return kReduceCandidates; }

}  // namespace norn::kernels
