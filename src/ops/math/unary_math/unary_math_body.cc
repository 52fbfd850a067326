#include "ops/math/unary_math/unary_math.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace unary_math_body_cc {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kRelu[] = {{.since = 6, .opset = 18, .nodes = R"({
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  Y = Max (X, zero)
})"}};

constexpr FunctionBody kSoftsign[] = {{.since = 1, .opset = 18, .nodes = R"({
  one_float = Constant <value = float {1.0}> ()
  one = CastLike (one_float, input)
  size = Abs (input)
  divisor = Add (one, size)
  output = Div (input, divisor)
})"}};

}  // namespace
}  // namespace unary_math_body_cc

void unary_math_bodies(opset::BodyTable& table) {
  table.add(Relu, kRelu);
  table.add(Softsign, kSoftsign);
}

}  // namespace norn::ops
