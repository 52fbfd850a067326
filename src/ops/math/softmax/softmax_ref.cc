// Shifted by the maximum, so that large inputs do not overflow; a row of -infinity alone gives NaN, as the formula
// does.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/loops.h"
#include "ops/math/softmax/softmax.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace softmax_ref_cc {
namespace {

void run(opset::ReferenceContext& ctx, bool logarithm) {
  const Tensor& x = ctx.input(0);
  const auto [first, last] = resolve_softmax(ctx, x.rank());
  map_lines<double>(x, ctx.output(0, x.dtype(), x.dims()), view_along(x.dims(), first, last),
                    [&](std::span<double> line) {
                      double top = -std::numeric_limits<double>::infinity(), sum = 0;
                      for (const double v : line) top = std::fmax(top, v);
                      for (double& v : line) {
                        v -= top;
                        const double e = std::exp(v);
                        sum += e;
                        if (!logarithm) v = e;
                      }
                      const double log_sum = std::log(sum);
                      for (double& v : line) v = logarithm ? v - log_sum : v / sum;
                    });
}

// The first of the greatest; NaN counts as one, as in NumPy.
void hardmax_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto [first, last] = resolve_softmax(ctx, x.rank());
  map_lines<double>(x, ctx.output(0, x.dtype(), x.dims()), view_along(x.dims(), first, last),
                    [](std::span<double> line) {
                      std::size_t best = 0;
                      for (std::size_t k = 1; k < line.size() && !std::isnan(line[best]); ++k)
                        if (line[k] > line[best] || std::isnan(line[k])) best = k;
                      std::fill(line.begin(), line.end(), 0.0);
                      line[best] = 1;
                    });
}

void softmax_ref(opset::ReferenceContext& ctx) { run(ctx, false); }
void log_softmax_ref(opset::ReferenceContext& ctx) { run(ctx, true); }

}  // namespace
}  // namespace softmax_ref_cc

void softmax_references(opset::ReferenceTable& table) {
  table.add(Softmax, softmax_ref);
  table.add(LogSoftmax, log_softmax_ref);
  table.add(Hardmax, hardmax_ref);
}

}  // namespace norn::ops
