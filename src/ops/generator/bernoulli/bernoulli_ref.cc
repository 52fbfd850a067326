// One where a number drawn from [0, 1) is below the probability: always for 1, never for 0.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "ops/common/random.h"
#include "ops/generator/bernoulli/bernoulli.h"

namespace norn::ops {
inline namespace bernoulli_ref_cc {
namespace {

// Probabilities are in [0, 1].
void check(const opset::ReferenceContext& ctx, std::span<const double> chances) {
  // Bits of nonnegative numbers are ordered as these are. -0 is seen by its sign, too, but is found to be right.
  std::uint64_t signs = 0;
  for (const double chance : chances) {
    const auto bits = std::bit_cast<std::uint64_t>(chance);
    signs |= bits | (std::bit_cast<std::uint64_t>(1.0) - bits);
  }
  if (signs >> 63 == 0) return;
  for (const double chance : chances)
    if (!(chance >= 0 && chance <= 1)) ctx.fail("a probability is " + std::to_string(chance) + ", not in [0, 1]");
}

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
    std::array<std::int32_t, kChunk> ones;
    for (std::int64_t first = 0; first < p.size(); first += kChunk) {
      const std::int64_t n = std::min(kChunk, p.size() - first);
      load<double>(p, first, n, chances.data());
      const auto size = static_cast<std::size_t>(n);
      check(ctx, {chances.data(), size});
      numbers.uniforms(drawn.data(), n);
      // In steps that compilers have vectors for: comparisons give doubles, and these become integers of 32 bits.
      for (std::size_t i = 0; i < size; ++i) drawn[i] = drawn[i] < chances[i] ? 1.0 : 0.0;
      for (std::size_t i = 0; i < size; ++i) ones[i] = static_cast<std::int32_t>(drawn[i]);
      for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<T>(-ones[i]) & bits_of_one;
      to += n;
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
