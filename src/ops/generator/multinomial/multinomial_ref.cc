// A class is drawn where a uniform share of all weights, e to the log-probabilities, falls into the running sum of
// them. Weights are relative to the largest, so that none overflows; classes of weight 0 are never drawn.
#include <algorithm>
#include <cmath>

#include "ops/common/random.h"
#include "ops/generator/multinomial/multinomial.h"

namespace norn::ops {
inline namespace multinomial_ref_cc {
namespace {

// Turns log-probabilities into running sums of weights.
void accumulate(opset::ReferenceContext& ctx, std::span<double> row) {
  double largest = -HUGE_VAL;
  for (const double x : row) {
    if (std::isnan(x) || x == HUGE_VAL) ctx.fail("a log-probability is " + std::to_string(x));
    largest = std::max(largest, x);
  }
  if (largest == -HUGE_VAL) ctx.fail("no class of a batch entry has a probability above 0");
  double total = 0;
  for (double& x : row) x = total += std::exp(x - largest);
}

void multinomial_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const MultinomialParams p = resolve_multinomial(ctx);
  Tensor& y = ctx.output(0, p.type, {x.dims()[0], p.samples});
  if (y.size() == 0) return;
  const auto classes = static_cast<std::size_t>(x.dims()[1]);
  RandomNumbers numbers(ctx);
  std::vector<double> sums = load_all<double>(x);
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(p.samples));
  for (std::int64_t b = 0; b < x.dims()[0]; ++b) {
    const auto row = std::span(sums).subspan(static_cast<std::size_t>(b) * classes, classes);
    accumulate(ctx, row);
    // The first sum of all of them: it stands for the last class that has a weight.
    const auto last = std::lower_bound(row.begin(), row.end(), row.back());
    for (std::int64_t& choice : drawn)
      choice = std::upper_bound(row.begin(), last, numbers.uniform() * row.back()) - row.begin();
    store<std::int64_t>(y, b * p.samples, p.samples, drawn.data());
  }
}

}  // namespace
}  // namespace multinomial_ref_cc

void multinomial_references(opset::ReferenceTable& table) { table.add(Multinomial, multinomial_ref); }

}  // namespace norn::ops
