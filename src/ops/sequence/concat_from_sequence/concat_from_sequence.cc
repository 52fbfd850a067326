// A sequence's tensors joined along an axis, or along a new one. new_axis = 1 stacks, so that the axis may be the rank
// of the tensors.
#include "ops/sequence/concat_from_sequence/concat_from_sequence.h"

#include <string>
#include <utility>

#include "ops/sequence/sequence_basic/sequence_basic.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace concat_from_sequence_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "input_sequence", .type = "S"}};
constexpr Param kOutputs[] = {{.name = "concat_result", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .required = true},
    {.name = "new_axis", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes[] = {{"S", sequences(types::kAll)}, {"T", tensors(types::kAll)}};

constexpr Schema kConcatFromSequence[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

// How many tensors there are is not known.
void infer_concat_from_sequence(InferContext& ctx) {
  ValueType element = element_of(ctx, ctx.input(0));
  if (!element.is_tensor()) return;
  if (element.shape) {
    Dims& dims = *element.shape;
    const auto [axis, stacked] = resolve_concat_from_sequence(ctx, static_cast<std::int64_t>(dims.size()));
    const auto at = dims.begin() + axis;
    const DimExpr joined = ctx.fresh_dim("it follows from the number of tensors in the sequence");
    if (stacked)
      dims.insert(at, joined);
    else
      *at = joined;
  }
  ctx.set(0, std::move(element));
}

}  // namespace
}  // namespace concat_from_sequence_cc

ConcatFromSequenceParams resolve_concat_from_sequence(const NodeView& node, std::int64_t rank) {
  const std::int64_t new_axis = node.attrs().i("new_axis");
  if (new_axis != 0 && new_axis != 1) node.fail("new_axis must be 0 or 1, not " + std::to_string(new_axis));
  if (rank == 0 && new_axis == 0) node.fail("scalars cannot be concatenated", "set new_axis to 1");
  return {.axis = node.axis(rank + new_axis), .stacked = new_axis == 1};
}

constinit const Operator ConcatFromSequence = {
    .name = "ConcatFromSequence", .history = kConcatFromSequence, .infer = infer_concat_from_sequence};

void concat_from_sequence_schemas(SchemaTable& table) { table.add(ConcatFromSequence); }

}  // namespace norn::ops
