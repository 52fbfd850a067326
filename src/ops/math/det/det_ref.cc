// Gaussian elimination with the largest element of a column as its pivot, in double. The product of the pivots is kept
// as a fraction and an exponent, so that it leaves the range only where the determinant does.
#include "ops/math/det/det.h"

#include <cmath>
#include <string>
#include <vector>

#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace det_ref_cc {
namespace {

// Of an n x n matrix, which is overwritten.
[[gnu::always_inline]] inline double determinant(double* a, std::int64_t n) {
  double fraction = 1;
  std::int64_t exponent = 0;
  for (std::int64_t c = 0; c < n; ++c) {
    std::int64_t pivot = c;
    for (std::int64_t r = c + 1; r < n; ++r) {
      if (std::fabs(a[r * n + c]) > std::fabs(a[pivot * n + c])) pivot = r;
    }
    if (pivot != c) {
      for (std::int64_t k = c; k < n; ++k) std::swap(a[c * n + k], a[pivot * n + k]);
      fraction = -fraction;
    }
    int shift = 0;
    fraction = std::frexp(fraction * a[c * n + c], &shift);
    exponent += std::isfinite(fraction) ? shift : 0;
    if (a[c * n + c] == 0) continue;  // the column is 0; what is left may still hold NaN
    for (std::int64_t r = c + 1; r < n; ++r) {
      const double factor = a[r * n + c] / a[c * n + c];
      double* const row = a + r * n;
      const double* const above = a + c * n;
      for (std::int64_t k = c + 1; k < n; ++k) row[k] -= factor * above[k];
    }
  }
  constexpr std::int64_t kFar = 1 << 20;  // far beyond every exponent
  return std::ldexp(fraction, static_cast<int>(exponent > kFar ? kFar : exponent < -kFar ? -kFar : exponent));
}

// Of each of the matrices that lie one behind the other.
[[gnu::always_inline]] inline void determinants(double* matrices, std::int64_t n, std::vector<double>& results) {
  for (double& result : results) {
    result = determinant(matrices, n);
    matrices += n * n;
  }
}
#if defined(__x86_64__)
// The same operations in vectors of 32 bytes: no product is rounded together with a sum.
[[gnu::target("avx2")]] void determinants_wide(double* matrices, std::int64_t n, std::vector<double>& results) {
  determinants(matrices, n, results);
}
#endif

void det_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 2 || x.dims().back() != x.dims()[x.dims().size() - 2])
    ctx.fail("X has shape " + to_string(x.dims()) + ", but has to hold square matrices");
  const std::int64_t n = x.dims().back();
  Tensor& y = ctx.output(0, x.dtype(), Shape(x.dims().begin(), x.dims().end() - 2));
  std::vector<double> values = load_all<double>(x), results(static_cast<std::size_t>(y.size()));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    determinants_wide(values.data(), n, results);
  else
#endif
    determinants(values.data(), n, results);
  store_all<double>(y, results);
}

}  // namespace
}  // namespace det_ref_cc

void det_references(opset::ReferenceTable& table) { table.add(Det, det_ref); }

}  // namespace norn::ops
