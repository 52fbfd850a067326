// Shifted by the maximum, so that large inputs do not overflow; a row of -infinity alone gives NaN, as the formula
// does.
#include <cmath>
#include <limits>

#include "ops/common/elements.h"
#include "ops/math/softmax/softmax.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void run(opset::ReferenceContext& ctx, bool logarithm) {
  const Tensor& x = ctx.input(0);
  const std::int64_t rank = x.rank(), axis = ctx.attrs().i("axis");
  const bool matrix = ctx.version() < 13;
  if (axis < -rank || axis > rank - (matrix ? 0 : 1)) {
    ctx.fail("axis " + std::to_string(axis) + " is out of range for " + to_string(x.dims()));
  }
  const auto cut = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  // Elements of one sum: n of them, `step` apart.
  std::int64_t n = 1, step = 1;
  for (std::size_t d = cut; d < x.dims().size(); ++d) (matrix || d == cut ? n : step) *= x.dims()[d];
  std::vector<double> values = load_all<double>(x);
  for (std::int64_t block = 0; block * n * step < x.size(); ++block) {
    for (std::int64_t i = 0; i < step; ++i) {
      double* row = values.data() + block * n * step + i;
      double top = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::int64_t k = 0; k < n; ++k) top = std::fmax(top, row[k * step]);
      for (std::int64_t k = 0; k < n; ++k) {
        row[k * step] -= top;
        sum += std::exp(row[k * step]);
      }
      for (std::int64_t k = 0; k < n; ++k) {
        double& v = row[k * step];
        v = logarithm ? v - std::log(sum) : std::exp(v) / sum;
      }
    }
  }
  store_all(ctx.output(0, x.dtype(), x.dims()), values);
}

void softmax_ref(opset::ReferenceContext& ctx) { run(ctx, false); }
void log_softmax_ref(opset::ReferenceContext& ctx) { run(ctx, true); }

}  // namespace

void softmax_references(opset::ReferenceTable& table) {
  table.add(Softmax, softmax_ref);
  table.add(LogSoftmax, log_softmax_ref);
}

}  // namespace norn::ops
