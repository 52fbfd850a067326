// The deviation is kept from 0 by 1e-9, so that a constant slice becomes zeros. Types of 16 bits are computed in float:
// in float16 that number would be 0, and the square of 256 infinity.
#include "ops/nn/mean_variance_normalization/mean_variance_normalization.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace mean_variance_normalization_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void mean_variance_normalization_body(BodyBuilder& b) {
  const DataType type = b.elem(0);
  const bool narrow = type == DataType::Float16 || type == DataType::BFloat16;
  b.add(narrow ? "x = Cast <to = 1> (X)" : "x = Identity (X)");
  b.scalar("tiny", narrow ? DataType::Float : type, 1e-9F);
  b.add(R"(
    reduced = Constant <value_ints: ints = @axes> ()
    mean = ReduceMean (x, reduced)
    d = Sub (x, mean)
    squares = Mul (d, d)
    variance = ReduceMean (squares, reduced)
    deviation = Sqrt (variance)
    divisor = Add (deviation, tiny)
    normalized = Div (d, divisor)
    Y = CastLike (normalized, X)
  )");
}

constexpr FunctionBody kMeanVarianceNormalizationBodies[] = {
    {.since = 9, .opset = 18, .build = mean_variance_normalization_body}};

}  // namespace
}  // namespace mean_variance_normalization_body_cc

void mean_variance_normalization_bodies(opset::BodyTable& table) {
  table.add(MeanVarianceNormalization, kMeanVarianceNormalizationBodies);
}

}  // namespace norn::ops
