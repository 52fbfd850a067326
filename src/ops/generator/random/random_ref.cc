// Random numbers are scaled in double and rounded once.
#include <algorithm>

#include "ops/common/random.h"
#include "ops/generator/random/random.h"

namespace norn::ops {
inline namespace random_ref_cc {
namespace {

using opset::ReferenceContext;

RandomParams of_input(ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  return {random_like_type(ctx, x.dtype()), x.dims()};
}

void draw_normal(ReferenceContext& ctx, const RandomParams& p) {
  const double mean = ctx.attrs().f("mean"), scale = ctx.attrs().f("scale");
  RandomNumbers numbers(ctx);
  draw_elements(ctx, p.type, p.shape, [&](double* to, std::int64_t n) {
    std::generate_n(to, n, [&] { return mean + scale * numbers.normal(); });
  });
}

void draw_uniform(ReferenceContext& ctx, const RandomParams& p) {
  const double low = ctx.attrs().f("low"), high = ctx.attrs().f("high");
  RandomNumbers numbers(ctx);
  draw_elements(ctx, p.type, p.shape, [&](double* to, std::int64_t n) {
    numbers.uniforms(to, n);
    for (std::int64_t i = 0; i < n; ++i) to[i] = low + (high - low) * to[i];
  });
}

void random_normal_ref(ReferenceContext& ctx) { draw_normal(ctx, resolve_random(ctx)); }
void random_normal_like_ref(ReferenceContext& ctx) { draw_normal(ctx, of_input(ctx)); }
void random_uniform_ref(ReferenceContext& ctx) { draw_uniform(ctx, resolve_random(ctx)); }
void random_uniform_like_ref(ReferenceContext& ctx) { draw_uniform(ctx, of_input(ctx)); }

}  // namespace
}  // namespace random_ref_cc

void random_references(opset::ReferenceTable& table) {
  table.add(RandomNormal, random_normal_ref);
  table.add(RandomNormalLike, random_normal_like_ref);
  table.add(RandomUniform, random_uniform_ref);
  table.add(RandomUniformLike, random_uniform_like_ref);
}

}  // namespace norn::ops
