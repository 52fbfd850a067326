// One where a number drawn from [0, 1) is below the probability: always for 1, never for 0.
#include <string>

#include "ops/common/random.h"
#include "ops/generator/bernoulli/bernoulli.h"

namespace norn::ops {
inline namespace bernoulli_ref_cc {
namespace {

void bernoulli_ref(opset::ReferenceContext& ctx) {
  const Tensor& p = ctx.input(0);
  const std::vector<double> probabilities = load_all<double>(p);
  for (const double chance : probabilities) {
    if (!(chance >= 0 && chance <= 1)) ctx.fail("a probability is " + std::to_string(chance) + ", not in [0, 1]");
  }
  RandomNumbers numbers(ctx);
  const DataType type = bernoulli_type(ctx, p.dtype());
  Tensor& y = ctx.output(0, type, p.dims());
  visit_real(domain_of(type), [&]<class D>(D) {
    std::vector<D> result;
    result.reserve(probabilities.size());
    for (const double chance : probabilities) result.push_back(numbers.uniform() < chance ? 1 : 0);
    store_all(y, result);
  });
}

}  // namespace
}  // namespace bernoulli_ref_cc

void bernoulli_references(opset::ReferenceTable& table) { table.add(Bernoulli, bernoulli_ref); }

}  // namespace norn::ops
