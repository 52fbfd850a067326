// An empty plane has the average NaN and the maximum -infinity; NaN wins a maximum, as in NumPy.
#include <cmath>
#include <limits>

#include "ops/common/elements.h"
#include "ops/nn/global_pool/global_pool.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace global_pool_ref_cc {
namespace {

double average(const double* values, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += values[i];
  return sum / static_cast<double>(n);
}

double maximum(const double* values, std::int64_t n) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < n && !std::isnan(best); ++i) {
    if (!(best >= values[i])) best = values[i];
  }
  return best;
}

void run(opset::ReferenceContext& ctx, double (*pool)(const double*, std::int64_t)) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 2) ctx.fail("X " + to_string(x.dims()) + " needs a batch and a channel dimension");
  const Shape plane(x.dims().begin() + 2, x.dims().end());
  const std::int64_t n = element_count(plane);
  Shape out(x.dims().size(), 1);
  out[0] = x.dims()[0];
  out[1] = x.dims()[1];
  const std::vector<double> values = load_all<double>(x);
  Tensor& y = ctx.output(0, x.dtype(), out);
  std::vector<double> result;
  for (std::int64_t p = 0; p < y.size(); ++p) result.push_back(pool(values.data() + p * n, n));
  store_all(y, result);
}

void global_average_pool_ref(opset::ReferenceContext& ctx) { run(ctx, average); }
void global_max_pool_ref(opset::ReferenceContext& ctx) { run(ctx, maximum); }

}  // namespace
}  // namespace global_pool_ref_cc

void global_pool_references(opset::ReferenceTable& table) {
  table.add(GlobalAveragePool, global_average_pool_ref);
  table.add(GlobalMaxPool, global_max_pool_ref);
}

}  // namespace norn::ops
