// Dropout: output = data * mask / (1 - ratio) while training, data itself otherwise.
//
// The mask is drawn by the Mersenne Twister MT19937 seeded with the low 32 bits of `seed`, one number for each element
// in row-major order: 53 bits from two draws, a = draw >> 5 and b = draw >> 6, u = (a * 2^26 + b) / 2^53; an element is
// kept where u >= ratio. That is what NumPy's RandomState(seed).uniform gives, and so what the onnx reference draws.
// Without a seed the system's entropy gives one, and runs differ.
#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "ops/common/elements.h"
#include "ops/common/random.h"
#include "ops/nn/dropout/dropout.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace dropout_ref_cc {
namespace {

using opset::ReferenceContext;

template <class D>
void fill_with(Tensor& t, D value) {
  Tensor one(t.dtype(), {});
  store<D>(one, 0, 1, &value);
  copy_elements(t, 0, one, 0, t.size(), 0);
}

void dropout_ref(ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const DropoutParams p = resolve_dropout(ctx);
  const double ratio = ctx.require(p.training, "training_mode") ? ctx.require(p.ratio, "ratio") : 0;
  Tensor* const y = ctx.wants_output(0) ? &ctx.output(0, x.dtype(), x.dims()) : nullptr;
  Tensor* const mask =
      ctx.wants_output(1) ? &ctx.output(1, ctx.version() < 10 ? x.dtype() : DataType::Bool, x.dims()) : nullptr;
  if (ratio == 0) {
    if (y) copy_elements(*y, 0, x, 0, x.size());
    if (mask) visit_real(domain_of(mask->dtype()), [&]<class D>(D) { fill_with<D>(*mask, 1); });
    return;
  }
  MersenneTwister generator(p.seed ? *p.seed : std::random_device{}());
  constexpr std::int64_t kChunk = 512;
  std::array<double, kChunk> keep, values;
  std::array<std::int32_t, kChunk> kept;
  for (std::int64_t first = 0; first < x.size(); first += kChunk) {
    const std::int64_t n = std::min(kChunk, x.size() - first);
    const auto size = static_cast<std::size_t>(n);
    generator.uniforms(keep.data(), n);
    for (std::size_t i = 0; i < size; ++i) keep[i] = keep[i] >= ratio ? 1.0 : 0.0;
    if (y) {
      load<double>(x, first, n, values.data());
      for (std::size_t i = 0; i < size; ++i) values[i] = keep[i] * values[i] / (1.0 - ratio);
      store<double>(*y, first, n, values.data());
    }
    if (mask && mask->dtype() == DataType::Bool) {
      // By integers of 32 bits, which doubles are turned into in vectors.
      for (std::size_t i = 0; i < size; ++i) kept[i] = static_cast<std::int32_t>(keep[i]);
      bool* const to = static_cast<bool*>(mask->mutable_data()) + first;
      for (std::size_t i = 0; i < size; ++i) to[i] = kept[i] != 0;
    } else if (mask) {
      store<double>(*mask, first, n, keep.data());
    }
  }
}

}  // namespace
}  // namespace dropout_ref_cc

void dropout_references(opset::ReferenceTable& table) { table.add(Dropout, dropout_ref); }

}  // namespace norn::ops
