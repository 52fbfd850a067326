#include "kernels/cpu/scale.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace scale_cc {
namespace {

template <class F>
void of_type(DataType type, F&& f) {
  switch (type) {
    case DataType::Double: return f(double{});
    case DataType::Int32: return f(std::int32_t{});
    case DataType::Int64: return f(std::int64_t{});
    default: return f(float{});
  }
}
std::string scaled_type_refusal(DataType type) {
  const bool known =
      type == DataType::Float || type == DataType::Double || type == DataType::Int32 || type == DataType::Int64;
  return known ? "" : "takes no " + std::string(data_type_name(type));
}

class Scale final : public Kernel {
 public:
  explicit Scale(const ScaleConfig& c) : c_(c) {
    if (c_.columns == 0) c_.rows = 0;  // however many
  }

  void run(void* const* operands, void*) const override {
    of_type(c_.x, [&]<class X>(X) { rows<X>(operands); });
  }

 private:
  template <class X>
  void rows(void* const* operands) const {
    using C = std::conditional_t<std::is_same_v<X, float>, float, double>;  // computed in
    const float *offset = c_.by->offset.data(), *scale = c_.by->scale.data();
    parallel_ranges(c_.rows, 5 + 0.3 * static_cast<double>(c_.columns), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const X* x = static_cast<const X*>(operands[0]) + r * c_.columns;
        float* y = static_cast<float*>(operands[1]) + r * c_.columns;
        for (std::int64_t i = 0; i < c_.columns; ++i)
          y[i] = static_cast<float>((static_cast<C>(x[i]) - static_cast<C>(offset[i])) * static_cast<C>(scale[i]));
      }
    });
  }

  ScaleConfig c_;
};

template <int lanes, class X>
X greatest_by(const X* x, std::int64_t n) {
  X most[lanes];
  std::fill_n(most, lanes, x[0]);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::int64_t k = 0; k < lanes; ++k) most[k] = most[k] < x[i + k] ? x[i + k] : most[k];
  for (; i < n; ++i) most[0] = most[0] < x[i] ? x[i] : most[0];
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) most[k] = most[k] < most[k + half] ? most[k + half] : most[k];
  return most[0];
}
// A NaN counts only as the first element, as in std::max from the left.
template <class X>
double greatest(const X* x, std::int64_t n) {
  if (n == 0 || x[0] != x[0]) return n == 0 ? 0 : static_cast<double>(x[0]);
  return static_cast<double>(n < 32 ? greatest_by<4>(x, n) : greatest_by<16>(x, n));
}

template <class X>
double divisor(RowNorm norm, const X* x, std::int64_t n) {
  if (norm == RowNorm::Max) return greatest(x, n);
  double sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::int64_t k = 0; k < 4; ++k) {
      const auto v = static_cast<double>(x[i + k]);
      sums[k] += norm == RowNorm::L1 ? std::fabs(v) : v * v;
    }
  for (; i < n; ++i) {
    const auto v = static_cast<double>(x[i]);
    sums[0] += norm == RowNorm::L1 ? std::fabs(v) : v * v;
  }
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  if (norm == RowNorm::L1) return sum;
  // As hypot says: infinite beside NaN, and neither too large nor too small for squares.
  if (!(sum > 1e-280 && sum < 1e300)) {
    double root = 0;
    for (std::int64_t k = 0; k < n; ++k) root = std::hypot(root, static_cast<double>(x[k]));
    return root;
  }
  return std::sqrt(sum);
}

class DivideRows final : public Kernel {
 public:
  explicit DivideRows(const RowNormConfig& c) : c_(c) {
    if (c_.columns == 0) c_.rows = 0;  // however many
  }

  void run(void* const* operands, void*) const override {
    of_type(c_.x, [&]<class X>(X) { rows<X>(operands); });
  }

 private:
  template <class X>
  void rows(void* const* operands) const {
    parallel_ranges(c_.rows, 10 + static_cast<double>(c_.columns), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const X* x = static_cast<const X*>(operands[0]) + r * c_.columns;
        float* y = static_cast<float*>(operands[1]) + r * c_.columns;
        const double by = divisor(c_.norm, x, c_.columns);
        if (by == 0) {
          for (std::int64_t i = 0; i < c_.columns; ++i) y[i] = static_cast<float>(x[i]);
        } else if (std::is_same_v<X, float> && std::fabs(by) > 1e-30 && std::fabs(by) < 1e30) {
          const float short_by = static_cast<float>(by);
          for (std::int64_t i = 0; i < c_.columns; ++i) y[i] = static_cast<float>(x[i]) / short_by;
        } else if (std::fabs(by) > 1e-300 && std::fabs(by) < 1e300) {  // the inverse is a normal number
          const double inverse = 1 / by;
          for (std::int64_t i = 0; i < c_.columns; ++i) y[i] = static_cast<float>(static_cast<double>(x[i]) * inverse);
        } else {
          for (std::int64_t i = 0; i < c_.columns; ++i) y[i] = static_cast<float>(static_cast<double>(x[i]) / by);
        }
      }
    });
  }

  RowNormConfig c_;
};

std::string row_norm_refuses(const RowNormConfig& c) {
  if (std::string why = scaled_type_refusal(c.x); !why.empty()) return why;
  const Shape x = {c.rows, c.columns};
  return extent_refusal({&x});
}
std::unique_ptr<Kernel> make_row_norm(const RowNormConfig& c, PackedConstants&) {
  return std::make_unique<DivideRows>(c);
}

std::string refuses(const ScaleConfig& c) {
  if (std::string why = scaled_type_refusal(c.x); !why.empty()) return why;
  if (static_cast<std::int64_t>(c.by->offset.size()) != c.columns || c.by->scale.size() != c.by->offset.size())
    return "another number of columns";
  const Shape x = {c.rows, c.columns};
  return extent_refusal({&x});
}
std::unique_ptr<Kernel> make(const ScaleConfig& c, PackedConstants&) { return std::make_unique<Scale>(c); }

constexpr Candidate<ScaleConfig> kScaleCandidates[] = {{"columns", refuses, make}};
constexpr Candidate<RowNormConfig> kRowNorms[] = {{"rows", row_norm_refuses, make_row_norm}};

}  // namespace
}  // namespace scale_cc

std::span<const Candidate<ScaleConfig>> scale_candidates() { return kScaleCandidates; }
std::span<const Candidate<RowNormConfig>> row_norm_candidates() { return kRowNorms; }

}  // namespace norn::kernels
