// Building and changing sequences. A position may be negative; for SequenceInsert the sequence's length is a position
// too.
#include "ops/sequence/sequence_edit/sequence_edit.h"

#include <string>
#include <utility>

#include "ops/common/shapes.h"
#include "ops/sequence/sequence_basic/sequence_basic.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace sequence_edit_cc {
namespace {

using namespace opset;

constexpr Param kInputSequence = {.name = "input_sequence", .type = "S"};
constexpr Param kPosition = {.name = "position", .type = "I", .option = ParamOption::Optional};
constexpr Param kSequenceEraseInputs[] = {kInputSequence, kPosition};
constexpr Param kSequenceInsertInputs[] = {
    kInputSequence,
    {.name = "tensor", .type = "T"},
    kPosition,
};
constexpr Param kSequenceLengthInputs[] = {kInputSequence};
constexpr Param kSequenceEmptyOutputs[] = {{.name = "output", .type = "S"}};
constexpr Param kSequenceEraseOutputs[] = {{.name = "output_sequence", .type = "S"}};
constexpr Param kSequenceLengthOutputs[] = {{.name = "length", .type = "I"}};
constexpr Attr kAttrs[] = {{.name = "dtype", .type = ir::AttributeType::Int}};
constexpr TypeConstraint kSequenceEmptyTypes[] = {{"S", sequences(types::kAll)}};
constexpr TypeConstraint kSequenceEraseTypes[] = {{"S", sequences(types::kAll)}, {"I", tensors(types::kIndex)}};
constexpr TypeConstraint kSequenceInsertTypes[] = {
    {"T", tensors(types::kAll)},
    {"S", sequences(types::kAll)},
    {"I", tensors(types::kIndex)},
};
constexpr TypeConstraint kSequenceLengthTypes[] = {
    {"S", sequences(types::kAll)},
    {"I", tensors(elems(DataType::Int64))},
};

constexpr Schema kSequenceEmpty[] = {
    {.since = 11, .outputs = kSequenceEmptyOutputs, .attrs = kAttrs, .types = kSequenceEmptyTypes},
};

constexpr Schema kSequenceErase[] = {
    {.since = 11, .inputs = kSequenceEraseInputs, .outputs = kSequenceEraseOutputs, .types = kSequenceEraseTypes},
};

constexpr Schema kSequenceInsert[] = {
    {.since = 11, .inputs = kSequenceInsertInputs, .outputs = kSequenceEraseOutputs, .types = kSequenceInsertTypes},
};

constexpr Schema kSequenceLength[] = {
    {.since = 11, .inputs = kSequenceLengthInputs, .outputs = kSequenceLengthOutputs, .types = kSequenceLengthTypes},
};

void infer_sequence_empty(InferContext& ctx) {
  ctx.set(0, ValueType::sequence(ValueType::tensor(resolve_sequence_empty(ctx))));
}

void infer_sequence_erase(InferContext& ctx) {
  require_position(ctx, 1);
  if (ctx.input(0).known()) ctx.set(0, ctx.input(0));
}

void infer_sequence_insert(InferContext& ctx) {
  require_position(ctx, 2);
  const ValueType &sequence = ctx.input(0), &tensor = ctx.input(1);
  ctx.explain("the tensors of the sequence differ in it");
  ValueType element = common_type(ctx, sequence.element ? *sequence.element : ValueType{}, tensor,
                                  "the sequence's tensors and the inserted one");
  if (element.known()) ctx.set(0, ValueType::sequence(std::move(element)));
}

void infer_sequence_length(InferContext& ctx) { ctx.set(0, DataType::Int64, {}); }

}  // namespace
}  // namespace sequence_edit_cc

DataType resolve_sequence_empty(const NodeView& node) {
  return type_attribute(node, "dtype", "S").value_or(DataType::Float);
}

constinit const Operator SequenceEmpty = {
    .name = "SequenceEmpty", .history = kSequenceEmpty, .infer = infer_sequence_empty};
constinit const Operator SequenceErase = {
    .name = "SequenceErase", .history = kSequenceErase, .infer = infer_sequence_erase};
constinit const Operator SequenceInsert = {
    .name = "SequenceInsert", .history = kSequenceInsert, .infer = infer_sequence_insert};
constinit const Operator SequenceLength = {
    .name = "SequenceLength", .history = kSequenceLength, .infer = infer_sequence_length};

void sequence_edit_schemas(SchemaTable& table) {
  for (const Operator* op : {&SequenceEmpty, &SequenceErase, &SequenceInsert, &SequenceLength}) table.add(*op);
}

}  // namespace norn::ops
