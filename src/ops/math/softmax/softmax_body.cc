// The largest element is taken away first, so that no power overflows.
#include "ops/math/softmax/softmax.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace softmax_body_cc {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kSoftmax[] = {{.since = 13, .opset = 18, .nodes = R"({
  along = Constant <value_int: int = @axis> ()
  list = Constant <value_ints = [1]> ()
  axes = Reshape (along, list)
  most = ReduceMax (input, axes)
  less = Sub (input, most)
  power = Exp (less)
  sum = ReduceSum (power, axes)
  output = Div (power, sum)
})"}};

constexpr FunctionBody kLogSoftmax[] = {{.since = 13, .opset = 18, .nodes = R"({
  along = Constant <value_int: int = @axis> ()
  list = Constant <value_ints = [1]> ()
  axes = Reshape (along, list)
  most = ReduceMax (input, axes)
  less = Sub (input, most)
  power = Exp (less)
  sum = ReduceSum (power, axes)
  log_sum = Log (sum)
  output = Sub (less, log_sum)
})"}};

}  // namespace
}  // namespace softmax_body_cc

void softmax_bodies(opset::BodyTable& table) {
  table.add(Softmax, kSoftmax);
  table.add(LogSoftmax, kLogSoftmax);
}

}  // namespace norn::ops
