// A graph run along an axis of its inputs, with state. Version 8 has a batch axis first and optional sequence lengths.
// From 9 on each input and output has an axis and a direction of its own; negative axes came with 11.
#include "ops/controlflow/scan/scan.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kInitialStateAndScanInputs = {
    .name = "initial_state_and_scan_inputs", .type = "V", .option = kVariadic, .homogeneous = false};
constexpr Attr kBody = {.name = "body", .type = ir::AttributeType::Graph, .required = true};
constexpr Attr kNumScanInputs = {.name = "num_scan_inputs", .type = ir::AttributeType::Int, .required = true};
constexpr Param kInputs8[] = {{.name = "sequence_lens", .type = "I", .option = ParamOption::Optional},
                              kInitialStateAndScanInputs};
constexpr Param kInputs9[] = {kInitialStateAndScanInputs};
constexpr Param kOutputs[] = {
    {.name = "final_state_and_scan_outputs", .type = "V", .option = kVariadic, .homogeneous = false},
};
constexpr Attr kAttrs8[] = {
    kBody,
    {.name = "directions", .type = ir::AttributeType::Ints},
    kNumScanInputs,
};
constexpr Attr kAttrs9[] = {
    kBody,
    kNumScanInputs,
    {.name = "scan_input_axes", .type = ir::AttributeType::Ints},
    {.name = "scan_input_directions", .type = ir::AttributeType::Ints},
    {.name = "scan_output_axes", .type = ir::AttributeType::Ints},
    {.name = "scan_output_directions", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes8[] = {{"I", tensors(elems(DataType::Int64))}, {"V", tensors(types::kAll)}};
constexpr TypeConstraint kTypes9[] = {{"V", tensors(types::kAll)}};
constexpr TypeConstraint kTypes16[] = {{"V", tensors(types::kAllBf)}};
constexpr TypeConstraint kTypes19[] = {{"V", tensors(types::kAllIr9)}};
constexpr TypeConstraint kTypes21[] = {{"V", tensors(types::kAllIr10)}};
constexpr TypeConstraint kTypes23[] = {{"V", tensors(types::kAllIr11)}};
constexpr TypeConstraint kTypes24[] = {{"V", tensors(types::kAllIr12)}};
constexpr TypeConstraint kTypes25[] = {{"V", tensors(types::kAllIr13)}};

constexpr Schema kScan[] = {
    {.since = 8,
     .inputs = kInputs8,
     .outputs = kOutputs,
     .attrs = kAttrs8,
     .types = kTypes8,
     .determinism = Determinism::NonDeterministic},
    {.since = 9,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes9,
     .determinism = Determinism::NonDeterministic},
    {.since = 11,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes9,
     .determinism = Determinism::NonDeterministic},
    {.since = 16,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes16,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 19,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes19,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 21,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes21,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 23,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes23,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 24,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes24,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 25,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes25,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

}  // namespace

constinit const Operator Scan = {.name = "Scan", .history = kScan, .control_flow = ControlFlow::Scan};

void scan_schemas(SchemaTable& table) { table.add(Scan); }

}  // namespace norn::ops
