// The numbers 0, 1, ... are the places of the elements other than zero in a tensor of ones. Computed in double; for
// 64-bit integers the numbers, though not the count, exactly.
#include "ops/generator/range/range.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace range_body_cc {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kRangeBodies[] = {{.since = 11, .opset = 18, .nodes = R"({
  first = Cast <to = 11> (start)
  last = Cast <to = 11> (limit)
  step = Cast <to = 11> (delta)
  span = Sub (last, first)
  steps = Div (span, step)
  whole_steps = Ceil (steps)
  zero = Constant <value = double {0.0}> ()
  least = Max (whole_steps, zero)
  count = Cast <to = 7> (least)
  list = Constant <value_ints = [1]> ()
  shape = Reshape (count, list)
  ones = ConstantOfShape <value = int64[1] {1}> (shape)
  places = NonZero (ones)
  flat = Constant <value_ints = [-1]> ()
  numbers = Reshape (places, flat)
  is_real = CastLike (numbers, start)
  offsets = Mul (is_real, delta)
  output = Add (offsets, start)
})"}};

}  // namespace
}  // namespace range_body_cc

void range_bodies(opset::BodyTable& table) { table.add(Range, kRangeBodies); }

}  // namespace norn::ops
