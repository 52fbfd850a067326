// Mean and variance are computed in stash_type; scale and bias are applied in X's own type.
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/layer_normalization/normalized_axes.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace layer_normalization_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void layer_normalization_body(BodyBuilder& b) {
  const RowNormParams p = resolve_row_norm(b);
  add_normalized_axes(b, "axes", p.axis);
  b.scalar("epsilon_stash", p.stash, static_cast<double>(p.epsilon));
  b.add("x = Cast <to: int = @stash_type> (X)");
  b.add(R"(
    Mean = ReduceMean (x, axes)
    d = Sub (x, Mean)
    squares = Mul (d, d)
    variance = ReduceMean (squares, axes)
    variance_epsilon = Add (variance, epsilon_stash)
    deviation = Sqrt (variance_epsilon)
    InvStdDev = Reciprocal (deviation)
    standardized = Mul (d, InvStdDev)
    normalized = CastLike (standardized, X)
  )");
  if (b.has_input(2))
    b.add("scaled = Mul (normalized, Scale) Y = Add (scaled, B)");
  else
    b.add("Y = Mul (normalized, Scale)");
}

constexpr FunctionBody kLayerNormalizationBodies[] = {{.since = 17, .opset = 18, .build = layer_normalization_body}};

}  // namespace
}  // namespace layer_normalization_body_cc

void layer_normalization_bodies(opset::BodyTable& table) { table.add(LayerNormalization, kLayerNormalizationBodies); }

}  // namespace norn::ops
