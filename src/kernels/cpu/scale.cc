#include "kernels/cpu/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
namespace {

class Scale final : public Kernel {
 public:
  explicit Scale(const ScaleConfig& c) : c_(c) {
    if (c_.columns == 0) c_.rows = 0;  // however many
  }

  void run(void* const* operands, void*) const override {
    const float *offset = c_.by->offset.data(), *scale = c_.by->scale.data();
    parallel_ranges(c_.rows, 5 + 0.3 * static_cast<double>(c_.columns), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const float* x = static_cast<const float*>(operands[0]) + r * c_.columns;
        float* y = static_cast<float*>(operands[1]) + r * c_.columns;
        for (std::int64_t i = 0; i < c_.columns; ++i) y[i] = (x[i] - offset[i]) * scale[i];
      }
    });
  }

 private:
  ScaleConfig c_;
};

double divisor(RowNorm norm, const float* x, std::int64_t n) {
  double sums[4] = {};
  if (norm == RowNorm::Max) {
    float most = n > 0 ? x[0] : 0;
    for (std::int64_t i = 0; i < n; ++i) most = std::max(most, x[i]);
    return most;
  }
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::int64_t k = 0; k < 4; ++k) {
      const double v = x[i + k];
      sums[k] += norm == RowNorm::L1 ? std::fabs(v) : v * v;
    }
  for (; i < n; ++i) sums[0] += norm == RowNorm::L1 ? std::fabs(double{x[i]}) : double{x[i]} * x[i];
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  // As hypot says: infinite beside NaN.
  if (norm == RowNorm::L2 && std::isnan(sum) && std::any_of(x, x + n, [](float v) { return std::isinf(v); }))
    return std::numeric_limits<double>::infinity();
  return norm == RowNorm::L1 ? sum : std::sqrt(sum);
}

class DivideRows final : public Kernel {
 public:
  explicit DivideRows(const RowNormConfig& c) : c_(c) {
    if (c_.columns == 0) c_.rows = 0;  // however many
  }

  void run(void* const* operands, void*) const override {
    parallel_ranges(c_.rows, 10 + static_cast<double>(c_.columns), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const float* x = static_cast<const float*>(operands[0]) + r * c_.columns;
        float* y = static_cast<float*>(operands[1]) + r * c_.columns;
        const double by = divisor(c_.norm, x, c_.columns);
        for (std::int64_t i = 0; i < c_.columns; ++i) y[i] = by == 0 ? x[i] : static_cast<float>(x[i] / by);
      }
    });
  }

 private:
  RowNormConfig c_;
};

std::string row_norm_refuses(const RowNormConfig& c) {
  if (c.x != DataType::Float) return "takes float, not " + std::string(data_type_name(c.x));
  const Shape x = {c.rows, c.columns};
  return extent_refusal({&x});
}
std::unique_ptr<Kernel> make_row_norm(const RowNormConfig& c, PackedConstants&) {
  return std::make_unique<DivideRows>(c);
}

std::string refuses(const ScaleConfig& c) {
  if (c.x != DataType::Float) return "takes float, not " + std::string(data_type_name(c.x));
  if (static_cast<std::int64_t>(c.by->offset.size()) != c.columns || c.by->scale.size() != c.by->offset.size())
    return "another number of columns";
  const Shape x = {c.rows, c.columns};
  return extent_refusal({&x});
}
std::unique_ptr<Kernel> make(const ScaleConfig& c, PackedConstants&) { return std::make_unique<Scale>(c); }

constexpr Candidate<ScaleConfig> kCandidates[] = {{"columns", refuses, make}};
constexpr Candidate<RowNormConfig> kRowNorms[] = {{"rows", row_norm_refuses, make_row_norm}};

}  // namespace

std::span<const Candidate<ScaleConfig>> scale_candidates() { return kCandidates; }
std::span<const Candidate<RowNormConfig>> row_norm_candidates() { return kRowNorms; }

}  // namespace norn::kernels
