// A sequence's tensors joined along an axis, or along a new one. new_axis = 1 stacks, so that the axis may be the rank
// of the tensors.
#include "ops/sequence/concat_from_sequence/concat_from_sequence.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator ConcatFromSequence = {.name = "ConcatFromSequence", .history = kConcatFromSequence};

void concat_from_sequence_schemas(SchemaTable& table) { table.add(ConcatFromSequence); }

}  // namespace norn::ops
