// The deviation is kept from 0 by 1e-9, so that a constant slice becomes zeros in every type that can hold that.
#include "ops/nn/mean_variance_normalization/mean_variance_normalization.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kBodies[] = {{.since = 9, .opset = 18, .nodes = R"({
  reduced = Constant <value_ints: ints = @axes> ()
  mean = ReduceMean (X, reduced)
  d = Sub (X, mean)
  squares = Mul (d, d)
  variance = ReduceMean (squares, reduced)
  deviation = Sqrt (variance)
  tiny_float = Constant <value = float {1e-9}> ()
  tiny = CastLike (tiny_float, X)
  divisor = Add (deviation, tiny)
  Y = Div (d, divisor)
})"}};

}  // namespace

void mean_variance_normalization_bodies(opset::BodyTable& table) { table.add(MeanVarianceNormalization, kBodies); }

}  // namespace norn::ops
