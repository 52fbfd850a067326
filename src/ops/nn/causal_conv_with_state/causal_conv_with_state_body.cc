// A depthwise convolution over the state and the input, of which the last elements are the new state.
#include <utility>

#include "ops/nn/causal_conv_with_state/causal_conv_with_state.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace causal_conv_with_state_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// -1 if no input's size is known.
std::int64_t known_channels(const BodyBuilder& b) {
  for (const auto& [input, axis] : {std::pair(1, 0), std::pair(0, 1), std::pair(2, 0), std::pair(3, 1)})
    if (const std::int64_t size = b.size_or_unknown(input, axis); size >= 0) return size;
  return -1;
}

// `linear` for an unknown number of channels, for which Conv, whose groups are an attribute, cannot be used: each
// element by the kernel's, over all windows.
void add_products(BodyBuilder& b) {
  const std::int64_t column_axis[] = {1}, first[] = {0}, kernels[] = {0, -1, 1};
  b.ints("column_axis", column_axis);
  b.ints("row_axis", first);
  b.ints("kernel_shape", kernels);
  b.add(R"(
    no_step = Constant <value_int = 0> ()
    one_step = Constant <value_int = 1> ()
    places_list = Shape <start = 2, end = 3> (input)
    places = Squeeze (places_list)
    taps_list = Shape <start = 2, end = 3> (weight)
    taps = Squeeze (taps_list)
    starts = Range (no_step, places, one_step)
    offsets = Range (no_step, taps, one_step)
    start_column = Unsqueeze (starts, column_axis)
    offset_row = Unsqueeze (offsets, row_axis)
    at = Add (start_column, offset_row)
    windows = Gather <axis = 2> (padded, at)
    kernel_columns = Reshape (weight, kernel_shape)
    product_columns = MatMul (windows, kernel_columns)
    last_axis = Constant <value = int64[1] {-1}> ()
    products = Squeeze (product_columns, last_axis)
  )");
  b.add(b.has_input(2) ? "bias_column = Unsqueeze (bias, column_axis) linear = Add (products, bias_column)"
                       : "linear = Identity (products)");
}

void causal_conv_with_state_body(BodyBuilder& b) {
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
  const std::int64_t channels = known_channels(b);
  if (channels >= 0)
    b.add("linear = Conv <group = " + std::to_string(channels) + "> (padded, weight" +
          (b.has_input(2) ? ", bias)" : ")"));
  else
    add_products(b);
  b.add(resolve_silu(b.attrs()) ? "gate = Sigmoid (linear) output = Mul (linear, gate)" : "output = Identity (linear)");
  b.add("length = Shape <start = 2, end = 3> (input) present_state = Slice (padded, length, most, two)");
}

constexpr FunctionBody kCausalConvWithStateBodies[] = {
    {.since = 27, .opset = 22, .build = causal_conv_with_state_body}};

}  // namespace
}  // namespace causal_conv_with_state_body_cc

void causal_conv_with_state_bodies(opset::BodyTable& table) {
  table.add(CausalConvWithState, kCausalConvWithStateBodies);
}

}  // namespace norn::ops
