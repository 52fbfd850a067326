// One where a number drawn from [0, 1) is below the probability: always for 1, never for 0.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "ops/common/random.h"
#include "ops/generator/bernoulli/bernoulli.h"

namespace norn::ops {
inline namespace bernoulli_ref_cc {
namespace {

void bernoulli_ref(opset::ReferenceContext& ctx) {
  const Tensor& p = ctx.input(0);
  RandomNumbers numbers(ctx);
  const DataType type = bernoulli_type(ctx, p.dtype());
  Tensor& y = ctx.output(0, type, p.dims());
  Tensor one(type, {1});
  visit_real(domain_of(type), [&]<class D>(D) { store_all(one, std::vector<D>{1}); });
  const auto draw = [&]<class T>(T) {
    T bits_of_one;
    std::memcpy(&bits_of_one, one.data(), sizeof bits_of_one);
    T* to = static_cast<T*>(y.mutable_data());
    constexpr std::int64_t kChunk = 512;
    std::array<double, kChunk> chances, drawn;
    for (std::int64_t first = 0; first < p.size(); first += kChunk) {
      const std::int64_t n = std::min(kChunk, p.size() - first);
      load<double>(p, first, n, chances.data());
      for (const double* chance = chances.data(); chance != chances.data() + n; ++chance)
        if (!(*chance >= 0 && *chance <= 1))
          ctx.fail("a probability is " + std::to_string(*chance) + ", not in [0, 1]");
      numbers.uniforms(drawn.data(), n);
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        *to++ = static_cast<T>((drawn[i] < chances[i] ? ~T{0} : T{0}) & bits_of_one);  // without a branch
    }
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
