#include "ops/common/body_guard.h"
#include "ops/math/swiglu/swiglu.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace swiglu_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void swiglu_body(BodyBuilder& b) {
  b.add("gate = Swish <alpha: float = @alpha> (A)");
  const auto &x = b.type(0).shape, &y = b.type(1).shape;
  if (x && y && opset::to_string(*x) == opset::to_string(*y)) return b.add("Y = Mul (gate, B)");
  // Shapes that are not known to be one: both with one axis more, so that scalars have one.
  const std::int64_t first[] = {0};
  b.ints("first_axis", first);
  b.add(R"(
    gate_row = Unsqueeze (gate, first_axis)
    value_row = Unsqueeze (B, first_axis)
    gate_shape = Shape (gate_row)
    value_shape = Shape (value_row)
    gate_rank = Shape (gate_shape)
    value_rank = Shape (value_shape)
    is_of_rank = Equal (gate_rank, value_rank)
    are_of_size = Equal (gate_shape, value_shape)
    are_equal = And (are_of_size, is_of_rank)
  )");
  add_guard(b, "value_row", "gate_shape", "are_equal", "B_of_the_shape_of_A");
  b.add("row = Mul (gate_row, B_of_the_shape_of_A) Y = Squeeze (row, first_axis)");
}

constexpr FunctionBody kSwigluBodies[] = {{.since = 28, .opset = 28, .build = swiglu_body}};

}  // namespace
}  // namespace swiglu_body_cc

void swiglu_bodies(opset::BodyTable& table) { table.add(SwiGLU, kSwigluBodies); }

}  // namespace norn::ops
