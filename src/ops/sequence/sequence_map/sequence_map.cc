// A graph applied to each element of sequences. It is a function around Loop. Further inputs may be tensors, which
// every call gets whole.
#include "ops/sequence/sequence_map/sequence_map.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kInputs[] = {
    {.name = "input_sequence", .type = "S"},
    {.name = "additional_inputs", .type = "V", .option = kVariadic, .min_arity = 0, .homogeneous = false},
};
constexpr Param kOutputs[] = {{.name = "out_sequence", .type = "S", .option = kVariadic, .homogeneous = false}};
constexpr Attr kAttrs[] = {{.name = "body", .type = ir::AttributeType::Graph, .required = true}};
constexpr TypeConstraint kTypes[] = {
    {"S", sequences(types::kAll)},
    {"V", tensors(types::kAll) | sequences(types::kAll)},
};

constexpr Schema kSequenceMap[] = {
    {.since = 17,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .determinism = Determinism::NonDeterministic},
};

}  // namespace

constinit const Operator SequenceMap = {
    .name = "SequenceMap", .history = kSequenceMap, .control_flow = ControlFlow::SequenceMap};

void sequence_map_schemas(SchemaTable& table) { table.add(SequenceMap); }

}  // namespace norn::ops
