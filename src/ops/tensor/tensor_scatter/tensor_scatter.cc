// A piece written into a cache, at a place of its own for each batch entry. Mode circular wraps around the end of the
// axis, which is the second last unless told otherwise.
#include "ops/tensor/tensor_scatter/tensor_scatter.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "past_cache", .type = "T", .diff = kDiff},
    {.name = "update", .type = "T", .diff = kDiff},
    {.name = "write_indices",
     .type = "tensor(int64)",
     .option = ParamOption::Optional,
     .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "present_cache", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-2)},
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("linear")},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kAllIr12)}};

constexpr Schema kTensorScatter[] = {
    {.since = 24, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator TensorScatter = {.name = "TensorScatter", .history = kTensorScatter};

void tensor_scatter_schemas(SchemaTable& table) { table.add(TensorScatter); }

}  // namespace norn::ops
