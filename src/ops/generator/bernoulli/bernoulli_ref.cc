// One where a number drawn from [0, 1) is below the probability: always for 1, never for 0.
#include <cstring>
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
  Tensor outcomes(type, {2});
  visit_real(domain_of(type), [&]<class D>(D) { store_all(outcomes, std::vector<D>{0, 1}); });
  const auto draw = [&]<class T>(T) {
    T zero_and_one[2];
    std::memcpy(zero_and_one, outcomes.data(), sizeof zero_and_one);
    T* to = static_cast<T*>(y.mutable_data());
    for (std::size_t i = 0; i < probabilities.size(); ++i)
      to[i] = zero_and_one[numbers.uniform() < probabilities[i] ? 1 : 0];
  };
  switch (element_size(type)) {
    case 1: return draw(std::uint8_t{});
    case 2: return draw(std::uint16_t{});
    case 4: return draw(std::uint32_t{});
    default: return draw(std::uint64_t{});
  }
}

}  // namespace
}  // namespace bernoulli_ref_cc

void bernoulli_references(opset::ReferenceTable& table) { table.add(Bernoulli, bernoulli_ref); }

}  // namespace norn::ops
