// Class numbers as vectors with one element on. From 11 on a negative class counts from the end and the new axis may be
// negative; before, such a class gives a vector that is all off.
#include "ops/tensor/one_hot/one_hot.h"

#include <cmath>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace one_hot_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs9[] = {
    {.name = "indices", .type = "T1"},
    {.name = "depth", .type = "T2"},
    {.name = "values", .type = "T3"},
};
constexpr Param kInputs11[] = {
    {.name = "indices", .type = "T1", .diff = kNonDiff},
    {.name = "depth", .type = "T2", .diff = kNonDiff},
    {.name = "values", .type = "T3", .diff = kNonDiff},
};
constexpr Param kOutputs9[] = {{.name = "output", .type = "T3"}};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T3", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)}};
constexpr TypeConstraint kTypes9[] = {
    {"T1", tensors(types::kNumeric)},
    {"T2", tensors(types::kNumeric)},
    {"T3", tensors(types::kAll)},
};
constexpr TypeConstraint kTypes28[] = {
    {"T1", tensors(types::kNumeric)},
    {"T2", tensors(types::kNumeric)},
    {"T3", tensors(types::kAllBf)},
};

constexpr Schema kOneHot[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs, .types = kTypes9},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes9},
    {.since = 28, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

// Nothing if it is not known.
std::optional<DimExpr> known_depth(const NodeView& node) {
  const auto shape = node.known_shape(1);
  if (shape && (shape->size() > 1 || (shape->size() == 1 && DimExpr::differ(shape->front(), 1))))
    node.fail("depth must be one number, but has shape " + to_string(*shape));
  if (const Tensor* const depth = node.constant(1); depth && depth->size() == 1) {
    const double classes = std::trunc(number_at(*depth, 0));
    // Beyond 2^53 a double may be another number than an integer that it stands for.
    if (!(classes >= 0 && classes <= 0x1p53))
      node.fail("depth is " + std::to_string(classes) + ", which is not a number of classes");
    return DimExpr(static_cast<std::int64_t>(classes));
  }
  const auto ints = node.known_ints(1);
  return ints && ints->size() == 1 ? std::optional(ints->front()) : std::nullopt;
}

void infer_one_hot(InferContext& ctx) {
  const OneHotParams p = resolve_one_hot(ctx);
  ctx.set(0, ctx.elem(2));
  if (!p.axis) return;
  Dims dims = ctx.shape(0);
  dims.insert(dims.begin() + *p.axis, p.depth ? *p.depth : ctx.fresh_dim("the contents of depth are not known"));
  ctx.set(0, ctx.elem(2), std::move(dims));
}

}  // namespace
}  // namespace one_hot_cc

OneHotParams resolve_one_hot(const NodeView& node) {
  node.require_rank(2, 1);
  if (const auto values = node.known_shape(2); values && DimExpr::differ(values->front(), 2))
    node.fail("values must be the two numbers for off and on, but has shape " + to_string(*values));
  const std::int64_t given = node.attrs().i("axis");
  if (given < -1) node.require_axis_sign(given, 11);
  OneHotParams p{.depth = known_depth(node), .axis = std::nullopt};
  if (const auto indices = node.known_shape(0)) p.axis = node.axis(static_cast<std::int64_t>(indices->size()) + 1);
  return p;
}

constinit const Operator OneHot = {
    .name = "OneHot", .history = kOneHot, .infer = infer_one_hot, .moves = Movement::Mixed};

void one_hot_schemas(SchemaTable& table) { table.add(OneHot); }

}  // namespace norn::ops
