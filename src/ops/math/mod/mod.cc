// Remainders, element by element. fmod chooses the sign: 0 the divisor's, 1 the dividend's. Floating types require fmod
// = 1 before version 28.
#include "ops/math/mod/mod.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs10[] = {{.name = "A", .type = "T"}, {.name = "B", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "A", .type = "T", .diff = kDiff},
                               {.name = "B", .type = "T", .diff = Differentiability::NonDifferentiable}};
constexpr Param kOutputs10[] = {{.name = "C", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "C", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "fmod", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes10[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kMod[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs, .types = kTypes10},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
    {.since = 28, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13},
};

}  // namespace

constinit const Operator Mod = {.name = "Mod", .history = kMod};

void mod_schemas(SchemaTable& table) { table.add(Mod); }

}  // namespace norn::ops
