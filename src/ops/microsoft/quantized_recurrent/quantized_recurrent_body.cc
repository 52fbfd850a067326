// The weights are dequantized; X and the state stay in float, which the operator allows to be rounded to 8 bits.
#include "ops/microsoft/domain.h"
#include "ops/microsoft/quantized_recurrent/quantized_recurrent.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace quantized_recurrent_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// `name`_by_direction: [directions, 1, 1], or [directions, 1, 4 * hidden_size].
void add_by_direction(BodyBuilder& b, int input, const std::string& name) {
  const int rank = b.rank(input);
  if (rank != 1 && rank != 2)
    b.fail(name + " has rank " + std::to_string(rank) + ", but has to have 1, or 2 with a number for each column");
  b.add(name + "_by_direction = Unsqueeze (" + name + (rank == 1 ? ", behind_directions)" : ", rows_axis)"));
}

void add_weights(BodyBuilder& b, const std::string& name, int scale) {
  add_by_direction(b, scale, name + "_scale");
  add_by_direction(b, scale + 1, name + "_zero_point");
  b.add(name + "_wide = Cast <to = 1> (" + name + ") " + name + "_zero = Cast <to = 1> (" + name +
        "_zero_point_by_direction)");
  b.add(name + "_centred = Sub (" + name + "_wide, " + name + "_zero) " + name + "_number = Mul (" + name +
        "_centred, " + name + "_scale_by_direction)");
  b.add(name + "_float = Transpose <perm = [0, 2, 1]> (" + name + "_number)");
}

void dynamic_quantize_lstm_body(BodyBuilder& b) {
  const std::int64_t behind[] = {1, 2}, rows[] = {1};
  b.ints("behind_directions", behind);
  b.ints("rows_axis", rows);
  add_weights(b, "W", 8);
  add_weights(b, "R", 10);
  b.add(R"(
    Y, Y_h, Y_c = LSTM <activation_alpha: floats = @activation_alpha, activation_beta: floats = @activation_beta,
                        activations: strings = @activations, clip: float = @clip, direction: string = @direction,
                        hidden_size: int = @hidden_size, input_forget: int = @input_forget>
                       (X, W_float, R_float, B, sequence_lens, initial_h, initial_c, P)
  )");
}

constexpr FunctionBody kQuantizedRecurrentBodies[] = {
    {.since = 1, .opset = kBodyOpset, .build = dynamic_quantize_lstm_body}};

}  // namespace
}  // namespace quantized_recurrent_body_cc
}  // namespace microsoft

void quantized_recurrent_bodies(opset::BodyTable& table) {
  table.add(microsoft::DynamicQuantizeLSTM, microsoft::kQuantizedRecurrentBodies);
}

}  // namespace norn::ops
