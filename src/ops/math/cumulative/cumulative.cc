// Running products and sums along an axis. The axis is an input. `exclusive` leaves the element itself out, so that the
// first result is the neutral element.
#include "ops/math/cumulative/cumulative.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "x", .type = "T", .diff = kDiff},
    {.name = "axis", .type = "T2", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "exclusive", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "reverse", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes26[] = {
    {"T", tensors(types::kWideInts | types::kFloats)},
    {"T2", tensors(types::kIndex)},
};
constexpr TypeConstraint kCumSumTypes[] = {
    {"T", tensors(types::kWideInts | elems(DataType::Double, DataType::Float))},
    {"T2", tensors(types::kIndex)},
};

constexpr Schema kCumProd[] = {
    {.since = 26, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes26},
};

constexpr Schema kCumSum[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kCumSumTypes},
    {.since = 14, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes26, .same_meaning = true},
};

}  // namespace

constinit const Operator CumProd = {.name = "CumProd", .history = kCumProd};
constinit const Operator CumSum = {.name = "CumSum", .history = kCumSum};

void cumulative_schemas(SchemaTable& table) {
  for (const Operator* op : {&CumProd, &CumSum}) table.add(*op);
}

}  // namespace norn::ops
