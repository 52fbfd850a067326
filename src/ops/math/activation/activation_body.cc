// Activation functions in terms of simpler operators, computed in their own type; Shrink alone, which takes integers,
// in double.
#include "ops/math/activation/activation.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace activation_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

constexpr FunctionBody kCelu[] = {{.since = 12, .opset = 22, .nodes = R"({
  alpha_float = Constant <value_float: float = @alpha> ()
  a = CastLike (alpha_float, X)
  scaled = Div (X, a)
  unit = Elu <alpha = 1.0> (scaled)
  below = Mul (a, unit)
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  positive = Max (X, zero)
  negative = Min (below, zero)
  Y = Add (positive, negative)
})"}};

constexpr FunctionBody kElu[] = {{.since = 1, .opset = 18, .nodes = R"({
  alpha_float = Constant <value_float: float = @alpha> ()
  a = CastLike (alpha_float, X)
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  one_float = Constant <value = float {1.0}> ()
  one = CastLike (one_float, X)
  is_negative = Less (X, zero)
  power = Exp (X)
  less_one = Sub (power, one)
  below = Mul (a, less_one)
  Y = Where (is_negative, below, X)
})"}};

void gelu_body(BodyBuilder& b) {
  const DataType type = b.elem(0);
  b.scalar("half", type, 0.5);
  b.scalar("one", type, 1.0);
  if (resolve_activation(b.attrs()).by_tanh) {
    b.scalar("cubic", type, 0.044715);
    b.scalar("root", type, 0.7978845608028654);  // sqrt(2 / pi)
    b.add(R"(
      square = Mul (X, X)
      cube = Mul (square, X)
      correction = Mul (cubic, cube)
      corrected = Add (X, correction)
      argument = Mul (root, corrected)
      sigmoid = Tanh (argument)
    )");
  } else {
    b.scalar("root", type, 0.7071067811865476);  // 1 / sqrt(2)
    b.add("argument = Mul (X, root) sigmoid = Erf (argument)");
  }
  b.add("halved = Mul (half, X) factor = Add (one, sigmoid) Y = Mul (halved, factor)");
}
constexpr FunctionBody kGelu[] = {{.since = 20, .opset = 20, .build = gelu_body}};

constexpr FunctionBody kHardSigmoid[] = {{.since = 1, .opset = 18, .nodes = R"({
  alpha_float = Constant <value_float: float = @alpha> ()
  a = CastLike (alpha_float, X)
  beta_float = Constant <value_float: float = @beta> ()
  b = CastLike (beta_float, X)
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  one_float = Constant <value = float {1.0}> ()
  one = CastLike (one_float, X)
  scaled = Mul (X, a)
  moved = Add (scaled, b)
  most = Min (moved, one)
  Y = Max (most, zero)
})"}};

constexpr FunctionBody kHardSwish[] = {{.since = 14, .opset = 22, .nodes = R"({
  gate = HardSigmoid <alpha = 0.16666667, beta = 0.5> (X)
  Y = Mul (X, gate)
})"}};

constexpr FunctionBody kLeakyRelu[] = {{.since = 1, .opset = 16, .nodes = R"({
  alpha_float = Constant <value_float: float = @alpha> ()
  a = CastLike (alpha_float, X)
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  is_negative = Less (X, zero)
  below = Mul (a, X)
  Y = Where (is_negative, below, X)
})"}};

constexpr FunctionBody kMish[] = {{.since = 18, .opset = 22, .nodes = R"({
  soft = Softplus (X)
  gate = Tanh (soft)
  Y = Mul (X, gate)
})"}};

constexpr FunctionBody kSelu[] = {{.since = 1, .opset = 18, .nodes = R"({
  alpha_float = Constant <value_float: float = @alpha> ()
  a = CastLike (alpha_float, X)
  gamma_float = Constant <value_float: float = @gamma> ()
  g = CastLike (gamma_float, X)
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  is_negative = Less (X, zero)
  power = Exp (X)
  grown = Mul (a, power)
  below = Sub (grown, a)
  either = Where (is_negative, below, X)
  Y = Mul (g, either)
})"}};

constexpr FunctionBody kShrink[] = {{.since = 9, .opset = 18, .nodes = R"({
  x = Cast <to = 11> (input)
  lambd_float = Constant <value_float: float = @lambd> ()
  most = Cast <to = 11> (lambd_float)
  least = Neg (most)
  bias_float = Constant <value_float: float = @bias> ()
  b = Cast <to = 11> (bias_float)
  zero = Constant <value = double {0.0}> ()
  is_above = Less (most, x)
  is_below = Less (x, least)
  down = Sub (x, b)
  up = Add (x, b)
  above = Where (is_above, down, zero)
  y = Where (is_below, up, above)
  output = CastLike (y, input)
})"}};

// log(1 + exp(x)), where exp(x) may be infinite: max(x, 0) + log(1 + exp(-|x|)).
constexpr FunctionBody kSoftplus[] = {{.since = 1, .opset = 18, .nodes = R"({
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  one_float = Constant <value = float {1.0}> ()
  one = CastLike (one_float, X)
  size = Abs (X)
  minus = Neg (size)
  power = Exp (minus)
  above_one = Add (power, one)
  rest = Log (above_one)
  positive = Max (X, zero)
  Y = Add (positive, rest)
})"}};

constexpr FunctionBody kSwish[] = {{.since = 24, .opset = 24, .nodes = R"({
  alpha_float = Constant <value_float: float = @alpha> ()
  a = CastLike (alpha_float, X)
  scaled = Mul (a, X)
  gate = Sigmoid (scaled)
  Y = Mul (X, gate)
})"}};

constexpr FunctionBody kThresholdedRelu[] = {{.since = 10, .opset = 18, .nodes = R"({
  alpha_float = Constant <value_float: float = @alpha> ()
  a = CastLike (alpha_float, X)
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  is_above = Less (a, X)
  Y = Where (is_above, X, zero)
})"}};

}  // namespace
}  // namespace activation_body_cc

void activation_bodies(opset::BodyTable& table) {
  table.add(Celu, kCelu);
  table.add(Elu, kElu);
  table.add(Gelu, kGelu);
  table.add(HardSigmoid, kHardSigmoid);
  table.add(HardSwish, kHardSwish);
  table.add(LeakyRelu, kLeakyRelu);
  table.add(Mish, kMish);
  table.add(Selu, kSelu);
  table.add(Shrink, kShrink);
  table.add(Softplus, kSoftplus);
  table.add(Swish, kSwish);
  table.add(ThresholdedRelu, kThresholdedRelu);
}

}  // namespace norn::ops
