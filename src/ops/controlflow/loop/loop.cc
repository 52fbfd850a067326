// A graph repeated a number of times, while a condition holds. Both bounds may be left out. Carried values may change
// shape from turn to turn, and since 13 be sequences; scan outputs are stacked along a new first axis.
#include "ops/controlflow/loop/loop.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;
constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kM = {.name = "M", .type = "I", .option = kOptional};
constexpr Param kCond = {.name = "cond", .type = "B", .option = kOptional};
constexpr Param kInputs1[] = {
    kM,
    kCond,
    {.name = "v_initial", .type = "V", .option = kVariadic, .homogeneous = false},
};
constexpr Param kInputs11[] = {
    kM,
    kCond,
    {.name = "v_initial", .type = "V", .option = kVariadic, .min_arity = 0, .homogeneous = false},
};
constexpr Param kOutputs[] = {
    {.name = "v_final_and_scan_outputs", .type = "V", .option = kVariadic, .homogeneous = false},
};
constexpr Attr kAttrs[] = {{.name = "body", .type = ir::AttributeType::Graph, .required = true}};
constexpr TypeConstraint kTypes1[] = {
    {"V", tensors(types::kAll)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes13[] = {
    {"V", tensors(types::kAll) | sequences(types::kAll)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes16[] = {
    {"V",
     tensors(types::kAllBf) | sequences(types::kAllBf) | optionals(types::kAllBf) | optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes19[] = {
    {"V", tensors(types::kAllIr9) | sequences(types::kAllIr9) | optionals(types::kAllIr9) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes21[] = {
    {"V", tensors(types::kAllIr10) | sequences(types::kAllIr10) | optionals(types::kAllIr10) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes23[] = {
    {"V", tensors(types::kAllIr11) | sequences(types::kAllIr11) | optionals(types::kAllIr11) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes24[] = {
    {"V", tensors(types::kAllIr12) | sequences(types::kAllIr12) | optionals(types::kAllIr12) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes25[] = {
    {"V", tensors(types::kAllIr13) | sequences(types::kAllIr13) | optionals(types::kAllIr13) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};

constexpr Schema kLoop[] = {
    {.since = 1,
     .inputs = kInputs1,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 11,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 13,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes13,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 16,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes16,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 19,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes19,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 21,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes21,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 23,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes23,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 24,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes24,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 25,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes25,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

}  // namespace

constinit const Operator Loop = {.name = "Loop", .history = kLoop, .control_flow = ControlFlow::Loop};

void loop_schemas(SchemaTable& table) { table.add(Loop); }

}  // namespace norn::ops
