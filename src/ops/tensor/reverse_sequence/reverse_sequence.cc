// The first elements of each batch entry in reverse order. Each entry has a length of its own; what lies beyond stays.
// Batch and time axes are 0 and 1, one each.
#include "ops/tensor/reverse_sequence/reverse_sequence.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator ReverseSequence = {.name = "ReverseSequence", .history = kReverseSequence};

void reverse_sequence_schemas(SchemaTable& table) { table.add(ReverseSequence); }

}  // namespace norn::ops
