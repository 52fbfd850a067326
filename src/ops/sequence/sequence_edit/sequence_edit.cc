// Building and changing sequences. A position may be negative; for SequenceInsert the sequence's length is a position
// too.
#include "ops/sequence/sequence_edit/sequence_edit.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator SequenceEmpty = {.name = "SequenceEmpty", .history = kSequenceEmpty};
constinit const Operator SequenceErase = {.name = "SequenceErase", .history = kSequenceErase};
constinit const Operator SequenceInsert = {.name = "SequenceInsert", .history = kSequenceInsert};
constinit const Operator SequenceLength = {.name = "SequenceLength", .history = kSequenceLength};

void sequence_edit_schemas(SchemaTable& table) {
  for (const Operator* op : {&SequenceEmpty, &SequenceErase, &SequenceInsert, &SequenceLength}) table.add(*op);
}

}  // namespace norn::ops
