// Version steps of the recurrent layers. Up to 6 an attribute says whether Y is wanted, from 7 on its name does.
// layout = 1, of 14, is transposition before and after.
#include "ops/rnn/recurrent/recurrent.h"
#include "ops/tensor/transpose/transpose.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace recurrent_adapt_cc {
namespace {

using namespace transform;

void drop_output_sequence(NodeEdit& edit) { edit.remove_attr("output_sequence"); }
void write_output_sequence(NodeEdit& edit) {
  edit.set_attr("output_sequence", static_cast<std::int64_t>(edit.wants_output(0)));
}

void batch_second(NodeEdit& edit) {
  const bool batch_first = edit.attrs().flag("layout");
  edit.remove_attr("layout");
  if (!batch_first) return;
  const auto perm = [](std::vector<std::int64_t> axes) {
    return std::vector<ir::Attribute>{make_attr("perm", std::move(axes))};
  };
  for (const int i : {0, 5, 6})
    if (edit.has_input(i)) edit.wrap_input(i, Transpose, 1, perm({1, 0, 2}));
  if (edit.wants_output(0)) edit.wrap_output(0, Transpose, 1, perm({2, 0, 1, 3}));
  for (const int o : {1, 2})
    if (edit.wants_output(o)) edit.wrap_output(o, Transpose, 1, perm({1, 0, 2}));
}

// Version 1 always gives Y_h, and misspells the default of direction.
void to_gru_1(NodeEdit& edit) {
  drop_flag(edit, "linear_before_reset");
  if (!edit.wants_output(1)) edit.cannot("version 1 has no way to leave Y_h out", "give the output Y_h a name");
  if (!edit.attrs().has("direction")) edit.set_attr("direction", std::string("forward"));
}

}  // namespace
}  // namespace recurrent_adapt_cc

void recurrent_steps(StepTable& table) {
  table.add(GRU, 1, 3, unchanged, to_gru_1);
  table.add(GRU, 3, 7, drop_output_sequence, write_output_sequence);
  for (const opset::Operator* op : {&LSTM, &RNN}) table.add(*op, 1, 7, drop_output_sequence, write_output_sequence);
  for (const opset::Operator* op : {&LSTM, &GRU, &RNN}) table.add(*op, 7, 14, unchanged, batch_second);
}

}  // namespace norn::ops
