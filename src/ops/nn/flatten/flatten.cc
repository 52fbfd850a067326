// Flatten: always a matrix, split before `axis`; axis 0 and axis r give a 1 on one side. From version 11 the axis may
// be negative, and -r is the same as 0.
#include "ops/nn/flatten/flatten.h"

#include <span>
#include <string>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace flatten_cc {
namespace {

template <std::uint32_t kElements>
constexpr TypeConstraint kT[] = {{"T", tensors(kElements)}};

constexpr Param kInputs1[] = {{.name = "input", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "input", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)}};

constexpr Schema old_row(int since, std::span<const TypeConstraint> types, bool widened) {
  return {.since = since,
          .inputs = kInputs1,
          .outputs = kOutputs1,
          .attrs = kAttrs,
          .types = types,
          .same_meaning = widened};
}
constexpr Schema row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kInputs13,
          .outputs = kOutputs13,
          .attrs = kAttrs,
          .types = types,
          .same_meaning = true};
}
constexpr Schema kFlatten[] = {
    old_row(1, kT<types::kFloat16To64>, false),
    old_row(9, kT<types::kAll>, true),
    old_row(11, kT<types::kAll>, false),
    row(13, kT<types::kAllBf>),
    row(21, kT<types::kAllIr10>),
    row(23, kT<types::kAllIr11>),
    row(24, kT<types::kAllIr12>),
    row(25, kT<types::kAllIr13>),
};

void infer_flatten(InferContext& ctx) {
  const std::int64_t given = ctx.attrs().i("axis");
  ctx.require_axis_sign(given, 11);
  if (!ctx.has_rank(0)) {
    const DimExpr rows = given == 0 ? DimExpr(1) : ctx.fresh_dim();
    ctx.set(0, ctx.elem(0), {rows, ctx.fresh_dim()});
    return;
  }
  const std::span<const DimExpr> dims = ctx.shape(0);
  const auto split = static_cast<std::size_t>(ctx.axis(ctx.rank(0), true));
  ctx.set(0, ctx.elem(0), {product(dims.first(split)), product(dims.subspan(split))});
}

}  // namespace
}  // namespace flatten_cc

constinit const Operator Flatten = {
    .name = "Flatten", .history = kFlatten, .infer = infer_flatten, .moves = Movement::First};

void flatten_schemas(SchemaTable& table) { table.add(Flatten); }

}  // namespace norn::ops
