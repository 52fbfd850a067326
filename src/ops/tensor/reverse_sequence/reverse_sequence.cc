// The first elements of each batch entry in reverse order. Each entry has a length of its own; what lies beyond stays.
// Batch and time axes are 0 and 1, one each.
#include "ops/tensor/reverse_sequence/reverse_sequence.h"

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace reverse_sequence_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "input", .type = "T"}, {.name = "sequence_lens", .type = "tensor(int64)"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "batch_axis", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "time_axis", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes10[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kReverseSequence[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes10},
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

void infer_reverse_sequence(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  ctx.require_rank(1, 1);
  const std::size_t batch = batch_is_first(ctx) ? 0 : 1;
  if (!ctx.has_rank(0)) return;
  if (ctx.rank(0) < 2)
    ctx.fail("the input has rank " + std::to_string(ctx.rank(0)) + ", but sequences and their elements take two axes");
  Dims dims = ctx.shape(0);
  if (ctx.has_rank(1)) dims[batch] = ctx.unify(dims[batch], ctx.shape(1)[0], "the batch axis and sequence_lens");
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace reverse_sequence_cc

bool batch_is_first(const NodeView& node) {
  const std::int64_t batch = node.attrs().i("batch_axis"), time = node.attrs().i("time_axis");
  if (batch < 0 || batch > 1 || time != 1 - batch)
    node.fail("batch_axis is " + std::to_string(batch) + " and time_axis " + std::to_string(time) +
              ", but one has to be 0 and the other 1");
  return batch == 0;
}

constinit const Operator ReverseSequence = {
    .name = "ReverseSequence", .history = kReverseSequence, .infer = infer_reverse_sequence, .moves = Movement::First};

void reverse_sequence_schemas(SchemaTable& table) { table.add(ReverseSequence); }

}  // namespace norn::ops
