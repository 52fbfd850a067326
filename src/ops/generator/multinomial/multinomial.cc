// Class numbers drawn by unnormalised log-probabilities. With replacement, sample_size of them for each batch entry.
#include "ops/generator/multinomial/multinomial.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "input", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "dtype", .type = ir::AttributeType::Int, .def = def_int(6)},
    {.name = "sample_size", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "seed", .type = ir::AttributeType::Float},
};
constexpr TypeConstraint kTypes7[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", tensors(types::kIndex)}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(types::kIndex)}};

constexpr Schema kMultinomial[] = {
    {.since = 7,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes7,
     .determinism = Determinism::NonDeterministic},
    {.since = 22,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes22,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

}  // namespace

constinit const Operator Multinomial = {.name = "Multinomial", .history = kMultinomial};

void multinomial_schemas(SchemaTable& table) { table.add(Multinomial); }

}  // namespace norn::ops
