// Running products and sums along an axis. The axis is an input. `exclusive` leaves the element itself out, so that the
// first result is the neutral element.
#include "ops/math/cumulative/cumulative.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace cumulative_cc {
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

void infer_cumulative(InferContext& ctx) {
  same_as_input(ctx);
  if (ctx.has_rank(0)) resolve_cumulative(ctx, ctx.rank(0));
}

}  // namespace
}  // namespace cumulative_cc

CumulativeParams resolve_cumulative(const NodeView& node, std::int64_t rank) {
  CumulativeParams p{.exclusive = node.attrs().flag("exclusive"), .reverse = node.attrs().flag("reverse")};
  const auto axis = one_int(node, 1);
  if (axis && axis->is_constant()) p.axis = node.normalize_axis(axis->constant(), rank);
  return p;
}

constinit const Operator CumProd = {.name = "CumProd", .history = kCumProd, .infer = infer_cumulative};
constinit const Operator CumSum = {.name = "CumSum", .history = kCumSum, .infer = infer_cumulative};

void cumulative_schemas(SchemaTable& table) {
  for (const Operator* op : {&CumProd, &CumSum}) table.add(*op);
}

}  // namespace norn::ops
