// A depthwise convolution over the state and the input, of which the last elements are the new state.
#include "ops/nn/causal_conv_with_state/causal_conv_with_state.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void causal_conv_with_state_body(BodyBuilder& b) {
  const std::string activation = b.attrs().s("activation");
  if (activation != "none" && activation != "silu" && activation != "swish")
    b.fail("activation is \"" + activation + "\", but has to be none, silu or swish");
  const std::int64_t one[] = {1}, two[] = {2}, most[] = {INT64_MAX};
  b.ints("one", one);
  b.ints("two", two);
  b.ints("most", most);
  if (b.has_input(3)) {
    b.add("state = Identity (past_state)");
  } else {
    b.scalar("zero", b.elem(0), 0);
    b.add(R"(
      width = Shape <start = 2, end = 3> (weight)
      state_width = Sub (width, one)
      batch_and_channels = Shape <start = 0, end = 2> (input)
      state_shape = Concat <axis = 0> (batch_and_channels, state_width)
      state = Expand (zero, state_shape)
    )");
  }
  b.add("padded = Concat <axis = 2> (state, input)");
  const std::string conv =
      "Conv <group = " + std::to_string(b.size(1, 0)) + "> (padded, weight" + (b.has_input(2) ? ", bias)" : ")");
  if (activation == "none")
    b.add("output = " + conv);
  else
    b.add("linear = " + conv + " gate = Sigmoid (linear) output = Mul (linear, gate)");
  b.add("length = Shape <start = 2, end = 3> (input) present_state = Slice (padded, length, most, two)");
}

constexpr FunctionBody kBodies[] = {{.since = 27, .opset = 22, .build = causal_conv_with_state_body}};

}  // namespace

void causal_conv_with_state_bodies(opset::BodyTable& table) { table.add(CausalConvWithState, kBodies); }

}  // namespace norn::ops
