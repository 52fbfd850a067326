// The upper or lower triangle of matrices, zero elsewhere. The diagonal's offset is an input and may lie outside the
// matrix.
#include "ops/tensor/trilu/trilu.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "k",
     .type = "tensor(int64)",
     .option = ParamOption::Optional,
     .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "upper", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kTrilu[] = {
    {.since = 14, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Trilu = {.name = "Trilu", .history = kTrilu};

void trilu_schemas(SchemaTable& table) { table.add(Trilu); }

}  // namespace norn::ops
