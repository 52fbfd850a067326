// The recurrent layers. Gates are stacked in one order per operator (iofc, zrh), directions along the first axis.
// layout = 1 (14) puts the batch first. GRU's linear_before_reset came with 3. Activations are named by strings, with
// their alphas and betas in lists.
#include "ops/rnn/recurrent/recurrent.h"

#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace recurrent_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr std::string_view kActivationsDefault[] = {"Tanh", "Tanh"};
constexpr Param kB1 = {.name = "B", .type = "T", .option = kOptional};
constexpr Param kB14 = {.name = "B", .type = "T", .option = kOptional, .diff = kDiff};
constexpr Param kSequenceLens1 = {.name = "sequence_lens", .type = "T1", .option = kOptional};
constexpr Param kSequenceLens14 = {.name = "sequence_lens", .type = "T1", .option = kOptional, .diff = kNonDiff};
constexpr Param kInitialH1 = {.name = "initial_h", .type = "T", .option = kOptional};
constexpr Param kInitialH14 = {.name = "initial_h", .type = "T", .option = kOptional, .diff = kNonDiff};
constexpr Param kX = {.name = "X", .type = "T", .diff = kDiff};
constexpr Param kW = {.name = "W", .type = "T", .diff = kDiff};
constexpr Param kR = {.name = "R", .type = "T", .diff = kDiff};
constexpr Param kY1 = {.name = "Y", .type = "T", .option = kOptional};
constexpr Param kY14 = {.name = "Y", .type = "T", .option = kOptional, .diff = kDiff};
constexpr Param kYH1 = {.name = "Y_h", .type = "T", .option = kOptional};
constexpr Param kYH14 = {.name = "Y_h", .type = "T", .option = kOptional, .diff = kDiff};
constexpr Attr kActivationAlpha = {.name = "activation_alpha", .type = ir::AttributeType::Floats};
constexpr Attr kActivationBeta = {.name = "activation_beta", .type = ir::AttributeType::Floats};
constexpr Attr kActivations1 = {.name = "activations", .type = ir::AttributeType::Strings};
constexpr Attr kRNNActivations = {
    .name = "activations", .type = ir::AttributeType::Strings, .def = def_strings(kActivationsDefault)};
constexpr Attr kClip = {.name = "clip", .type = ir::AttributeType::Float};
constexpr Attr kDirection = {.name = "direction", .type = ir::AttributeType::String, .def = def_string("forward")};
constexpr Attr kHiddenSize = {.name = "hidden_size", .type = ir::AttributeType::Int};
constexpr Attr kInputForget = {.name = "input_forget", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kOutputSequence = {.name = "output_sequence", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kLayout = {.name = "layout", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kLinearBeforeReset = {.name = "linear_before_reset", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Param kLSTMInputs1[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T"},
    {.name = "R", .type = "T"},
    kB1,
    kSequenceLens1,
    kInitialH1,
    {.name = "initial_c", .type = "T", .option = kOptional},
    {.name = "P", .type = "T", .option = kOptional},
};
constexpr Param kLSTMInputs14[] = {
    kX,
    kW,
    kR,
    kB14,
    kSequenceLens14,
    kInitialH14,
    {.name = "initial_c", .type = "T", .option = kOptional, .diff = kNonDiff},
    {.name = "P", .type = "T", .option = kOptional, .diff = kDiff},
};
constexpr Param kGRUInputs1[] = {
    {.name = "X", .type = "T"}, {.name = "W", .type = "T"}, {.name = "R", .type = "T"}, kB1, kSequenceLens1, kInitialH1,
};
constexpr Param kGRUInputs14[] = {kX, kW, kR, kB14, kSequenceLens14, kInitialH14};
constexpr Param kLSTMOutputs1[] = {
    kY1,
    kYH1,
    {.name = "Y_c", .type = "T", .option = kOptional},
};
constexpr Param kLSTMOutputs14[] = {
    kY14,
    kYH14,
    {.name = "Y_c", .type = "T", .option = kOptional, .diff = kDiff},
};
constexpr Param kGRUOutputs1[] = {kY1, {.name = "Y_h", .type = "T"}};
constexpr Param kOutputs3[] = {kY1, kYH1};
constexpr Param kGRUOutputs14[] = {kY14, kYH14};
constexpr Attr kLSTMAttrs1[] = {kActivationAlpha, kActivationBeta, kActivations1, kClip,
                                kDirection,       kHiddenSize,     kInputForget,  kOutputSequence};
constexpr Attr kLSTMAttrs7[] = {kActivationAlpha, kActivationBeta, kActivations1, kClip,
                                kDirection,       kHiddenSize,     kInputForget};
constexpr Attr kLSTMAttrs14[] = {kActivationAlpha, kActivationBeta, kActivations1, kClip,
                                 kDirection,       kHiddenSize,     kInputForget,  kLayout};
constexpr Attr kGRUAttrs1[] = {
    kActivationAlpha,
    kActivationBeta,
    kActivations1,
    kClip,
    {.name = "direction", .type = ir::AttributeType::String, .def = def_string("foward")},
    kHiddenSize,
    kOutputSequence,
};
constexpr Attr kGRUAttrs3[] = {kActivationAlpha, kActivationBeta, kActivations1,      kClip,
                               kDirection,       kHiddenSize,     kLinearBeforeReset, kOutputSequence};
constexpr Attr kGRUAttrs7[] = {kActivationAlpha, kActivationBeta, kActivations1,     kClip,
                               kDirection,       kHiddenSize,     kLinearBeforeReset};
constexpr Attr kGRUAttrs14[] = {kActivationAlpha, kActivationBeta, kActivations1, kClip,
                                kDirection,       kHiddenSize,     kLayout,       kLinearBeforeReset};
constexpr Attr kRNNAttrs1[] = {kActivationAlpha, kActivationBeta, kRNNActivations, kClip,
                               kDirection,       kHiddenSize,     kOutputSequence};
constexpr Attr kRNNAttrs7[] = {kActivationAlpha, kActivationBeta, kRNNActivations, kClip, kDirection, kHiddenSize};
constexpr Attr kRNNAttrs14[] = {kActivationAlpha, kActivationBeta, kRNNActivations, kClip,
                                kDirection,       kHiddenSize,     kLayout};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}, {"T1", tensors(elems(DataType::Int32))}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}, {"T1", tensors(elems(DataType::Int32))}};

constexpr Schema kLSTM[] = {
    {.since = 1, .inputs = kLSTMInputs1, .outputs = kLSTMOutputs1, .attrs = kLSTMAttrs1, .types = kTypes1},
    {.since = 7, .inputs = kLSTMInputs1, .outputs = kLSTMOutputs1, .attrs = kLSTMAttrs7, .types = kTypes1},
    {.since = 14, .inputs = kLSTMInputs14, .outputs = kLSTMOutputs14, .attrs = kLSTMAttrs14, .types = kTypes1},
    {.since = 22,
     .inputs = kLSTMInputs14,
     .outputs = kLSTMOutputs14,
     .attrs = kLSTMAttrs14,
     .types = kTypes22,
     .same_meaning = true},
};

constexpr Schema kGRU[] = {
    {.since = 1, .inputs = kGRUInputs1, .outputs = kGRUOutputs1, .attrs = kGRUAttrs1, .types = kTypes1},
    {.since = 3, .inputs = kGRUInputs1, .outputs = kOutputs3, .attrs = kGRUAttrs3, .types = kTypes1},
    {.since = 7, .inputs = kGRUInputs1, .outputs = kOutputs3, .attrs = kGRUAttrs7, .types = kTypes1},
    {.since = 14, .inputs = kGRUInputs14, .outputs = kGRUOutputs14, .attrs = kGRUAttrs14, .types = kTypes1},
    {.since = 22,
     .inputs = kGRUInputs14,
     .outputs = kGRUOutputs14,
     .attrs = kGRUAttrs14,
     .types = kTypes22,
     .same_meaning = true},
};

constexpr Schema kRNN[] = {
    {.since = 1, .inputs = kGRUInputs1, .outputs = kOutputs3, .attrs = kRNNAttrs1, .types = kTypes1},
    {.since = 7, .inputs = kGRUInputs1, .outputs = kOutputs3, .attrs = kRNNAttrs7, .types = kTypes1},
    {.since = 14, .inputs = kGRUInputs14, .outputs = kGRUOutputs14, .attrs = kRNNAttrs14, .types = kTypes1},
    {.since = 22,
     .inputs = kGRUInputs14,
     .outputs = kGRUOutputs14,
     .attrs = kRNNAttrs14,
     .types = kTypes22,
     .same_meaning = true},
};

void infer_recurrent(InferContext& ctx, RecurrentLayer layer) {
  const RecurrentParams p = resolve_recurrent(ctx, layer);
  const RecurrentSizes sizes = resolve_recurrent_sizes(ctx, layer, p);
  const DataType type = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1);
  const auto or_fresh = [&](const std::optional<DimExpr>& size) { return size ? *size : ctx.fresh_dim(); };
  const DimExpr directions = p.directions, hidden = or_fresh(sizes.hidden), batch = or_fresh(sizes.batch),
                steps = or_fresh(sizes.steps);
  const Dims last = p.batch_first ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
  ctx.set(0, type, p.batch_first ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden});
  ctx.set(1, type, last);
  if (layer == RecurrentLayer::Lstm) ctx.set(2, type, last);
}

void infer_lstm(InferContext& ctx) { infer_recurrent(ctx, RecurrentLayer::Lstm); }
void infer_gru(InferContext& ctx) { infer_recurrent(ctx, RecurrentLayer::Gru); }
void infer_rnn(InferContext& ctx) { infer_recurrent(ctx, RecurrentLayer::Rnn); }

}  // namespace
}  // namespace recurrent_cc

// W and R stack the gates' matrices, B the biases of both.
RecurrentSizes resolve_recurrent_sizes(const NodeView& node, RecurrentLayer layer, const RecurrentParams& p,
                                       RecurrentStack stack) {
  static constexpr int kRanks[] = {3, 3, 3, 2, 1, 3, 3, 2};
  for (int i = 0; i < 8; ++i) node.require_rank(i, kRanks[i]);
  const int time_axis = p.batch_first ? 1 : 0, batch_axis = 1 - time_axis;
  const int gates_axis = stack == RecurrentStack::Rows ? 1 : 2, depth_axis = 3 - gates_axis;
  const DimExpr directions = p.directions, gates = gates_of(layer).gates;
  RecurrentSizes s{.hidden = {}, .batch = size_of(node, 0, batch_axis), .steps = size_of(node, 0, time_axis)};
  const auto join = [&](std::optional<DimExpr>& known, int input, int axis, const char* what) {
    if (const auto next = size_of(node, input, axis)) known = known ? node.unify(*known, *next, what) : *next;
  };
  if (p.hidden_size) s.hidden = *p.hidden_size;
  join(s.hidden, 2, depth_axis, "hidden_size and R");
  for (const int state : {5, 6}) {
    join(s.hidden, state, 2, "the hidden size and the initial state");
    join(s.batch, state, p.batch_first ? 0 : 1, "the batch of X and that of the initial state");
    agree(node, state, p.batch_first ? 1 : 0, directions, "the node's directions");
  }
  join(s.batch, 4, 0, "the batch of X and the length of sequence_lens");
  if (const auto w = size_of(node, 1, gates_axis);
      w && !s.hidden && w->is_constant() && w->constant() % gates.constant() == 0)
    s.hidden = w->constant() / gates.constant();
  for (const int i : {1, 2, 3, 7}) agree(node, i, 0, directions, "the node's directions");
  agree(node, 1, depth_axis, 0, 2);
  if (s.hidden) {
    for (const int i : {1, 2}) agree(node, i, gates_axis, gates * *s.hidden, "the gates times the hidden size");
    agree(node, 3, 1, 2 * gates * *s.hidden, "twice the gates times the hidden size");
    agree(node, 7, 1, 3 * *s.hidden, "3 times the hidden size");
  }
  return s;
}

constinit const Operator LSTM = {.name = "LSTM", .history = kLSTM, .infer = infer_lstm};
constinit const Operator GRU = {.name = "GRU", .history = kGRU, .infer = infer_gru};
constinit const Operator RNN = {.name = "RNN", .history = kRNN, .infer = infer_rnn};

void recurrent_schemas(SchemaTable& table) {
  for (const Operator* op : {&LSTM, &GRU, &RNN}) table.add(*op);
}

}  // namespace norn::ops
