// The root of the mean square is computed in stash_type; the scale, whose type the result has, is applied in that type.
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/layer_normalization/normalized_axes.h"
#include "ops/nn/rms_normalization/rms_normalization.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace rms_normalization_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void rms_normalization_body(BodyBuilder& b) {
  const RowNormParams p = resolve_row_norm(b);
  add_normalized_axes(b, "axes", p.axis);
  b.scalar("epsilon_stash", p.stash, static_cast<double>(p.epsilon));
  b.add(R"(
    x = Cast <to: int = @stash_type> (X)
    squares = Mul (x, x)
    mean_square = ReduceMean (squares, axes)
    mean_square_epsilon = Add (mean_square, epsilon_stash)
    rms = Sqrt (mean_square_epsilon)
    divided = Div (x, rms)
    normalized = CastLike (divided, X)
    to_scale = CastLike (normalized, scale)
    Y = Mul (to_scale, scale)
  )");
}

constexpr FunctionBody kRmsNormalizationBodies[] = {{.since = 23, .opset = 23, .build = rms_normalization_body}};

}  // namespace
}  // namespace rms_normalization_body_cc

void rms_normalization_bodies(opset::BodyTable& table) { table.add(RMSNormalization, kRmsNormalizationBodies); }

}  // namespace norn::ops
