// Squeeze and Unsqueeze: dimensions of size 1 taken out or put in.
//
// Traps: the axes of Unsqueeze count in the *output*; Squeeze without axes takes out every 1, so an input with a
// symbolic dimension leaves even the rank unknown; Squeeze with an empty list of axes takes out nothing.
#include "ops/tensor/squeeze/squeeze.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace squeeze_cc {
namespace {

template <std::uint32_t kElements>
constexpr TypeConstraint kT[] = {{"T", tensors(kElements)}};

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kSqueezeInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "axes", .type = "tensor(int64)", .option = ParamOption::Optional, .diff = kNonDiff},
};
constexpr Param kUnsqueezeInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "axes", .type = "tensor(int64)", .diff = kNonDiff},
};
constexpr Param kSqueezeOutputs1[] = {{.name = "squeezed", .type = "T"}};
constexpr Param kSqueezeOutputs13[] = {{.name = "squeezed", .type = "T", .diff = kDiff}};
constexpr Param kUnsqueezeOutputs1[] = {{.name = "expanded", .type = "T"}};
constexpr Param kUnsqueezeOutputs13[] = {{.name = "expanded", .type = "T", .diff = kDiff}};
constexpr Attr kSqueezeAttrs1[] = {{.name = "axes", .type = ir::AttributeType::Ints}};
constexpr Attr kUnsqueezeAttrs1[] = {{.name = "axes", .type = ir::AttributeType::Ints, .required = true}};

constexpr Schema squeeze_row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kSqueezeInputs13,
          .outputs = kSqueezeOutputs13,
          .types = types,
          .same_meaning = since != 13};
}
constexpr Schema kSqueeze[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kSqueezeOutputs1, .attrs = kSqueezeAttrs1, .types = kT<types::kAll>},
    {.since = 11, .inputs = kInputs1, .outputs = kSqueezeOutputs1, .attrs = kSqueezeAttrs1, .types = kT<types::kAll>},
    squeeze_row(13, kT<types::kAllBf>),
    squeeze_row(21, kT<types::kAllIr10>),
    squeeze_row(23, kT<types::kAllIr11>),
    squeeze_row(24, kT<types::kAllIr12>),
    squeeze_row(25, kT<types::kAllIr13>),
};

constexpr Schema unsqueeze_row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kUnsqueezeInputs13,
          .outputs = kUnsqueezeOutputs13,
          .types = types,
          .same_meaning = since != 13};
}
constexpr Schema kUnsqueeze[] = {
    {.since = 1,
     .inputs = kInputs1,
     .outputs = kUnsqueezeOutputs1,
     .attrs = kUnsqueezeAttrs1,
     .types = kT<types::kAll>},
    {.since = 11,
     .inputs = kInputs1,
     .outputs = kUnsqueezeOutputs1,
     .attrs = kUnsqueezeAttrs1,
     .types = kT<types::kAll>},
    unsqueeze_row(13, kT<types::kAllBf>),
    unsqueeze_row(21, kT<types::kAllIr10>),
    unsqueeze_row(23, kT<types::kAllIr11>),
    unsqueeze_row(24, kT<types::kAllIr12>),
    unsqueeze_row(25, kT<types::kAllIr13>),
};

// The axes of a node, if it gives any.
struct Axes {
  bool given;
  std::optional<std::vector<std::int64_t>> values;  // nothing if they are not known
};

Axes given_axes(const NodeView& node) {
  if (node.version() >= 13) return {node.has_input(1), node.const_ints(1)};
  const auto axes = node.attrs().find_ints("axes");
  if (axes) {
    for (const std::int64_t axis : *axes) node.require_axis_sign(axis, 11);
  }
  return {axes.has_value(), axes};
}

// How many axes there are when their values are unknown.
std::optional<std::int64_t> axes_count(InferContext& ctx) {
  if (!ctx.has_rank(1)) return std::nullopt;
  if (ctx.rank(1) == 0) return 1;
  const DimExpr& n = ctx.shape(1)[0];
  if (!n.is_constant() || n.constant() > kMostDims) return std::nullopt;
  return n.constant();
}

void set_fresh(InferContext& ctx, std::int64_t rank) {
  ctx.explain("the contents of axes are not known");
  if (auto dims = ctx.fresh_dims(rank)) ctx.set(0, ctx.elem(0), *std::move(dims));
}

void answer(InferContext& ctx, Dims dims) {
  const bool vector = dims.size() <= 1;
  ctx.set(0, ctx.elem(0), std::move(dims));
  if (!vector) return;
  if (const Dims* ints = ctx.ints(0))
    ctx.set_ints(0, *ints);
  else if (auto fractions = ctx.constant(0) ? std::nullopt : ctx.fractions(0))
    ctx.set_fractions(0, *std::move(fractions));
}

void check_axes(InferContext& ctx) {
  if (ctx.has_rank(1) && ctx.rank(1) > 1) ctx.fail("axes must have rank 1, not " + ctx.input(1).to_string());
  ctx.set(0, ctx.elem(0));
}

void infer_squeeze(InferContext& ctx) {
  check_axes(ctx);
  const auto squeezed = resolve_squeeze(ctx, ctx.has_rank(0) ? &ctx.shape(0) : nullptr);
  if (!ctx.has_rank(0)) return;
  if (!squeezed) {
    ctx.explain(ctx.has_input(1) ? "the contents of axes are not known" : "which of the sizes are 1 is not known");
    if (!ctx.has_input(1)) return;
    const auto count = axes_count(ctx);
    if (!count) return;
    if (*count > ctx.rank(0)) ctx.fail("there are more axes than dimensions");
    return set_fresh(ctx, ctx.rank(0) - *count);
  }
  Dims kept;
  for (std::size_t i = 0; i < squeezed->size(); ++i) {
    if ((*squeezed)[i] && ctx.shape(0)[i].is_constant() && ctx.shape(0)[i].constant() != 1)
      ctx.fail("axis " + std::to_string(i) + " has size " + ctx.shape(0)[i].to_string() +
               ", not 1, and cannot be squeezed");
    else if ((*squeezed)[i])
      ctx.unify(ctx.shape(0)[i], 1, "squeezed dimension " + std::to_string(i) + " and 1");
    else
      kept.push_back(ctx.shape(0)[i]);
  }
  answer(ctx, std::move(kept));
}

void infer_unsqueeze(InferContext& ctx) {
  check_axes(ctx);
  std::optional<std::int64_t> rank;
  if (ctx.has_rank(0)) rank = ctx.rank(0);
  const auto inserted = resolve_unsqueeze(ctx, rank);
  if (!rank) return;
  if (!inserted) {
    if (const auto count = axes_count(ctx)) set_fresh(ctx, *rank + *count);
    return;
  }
  Dims dims;
  auto next = ctx.shape(0).begin();
  for (const bool is_new : *inserted) dims.push_back(is_new ? DimExpr(1) : *next++);
  answer(ctx, std::move(dims));
}

}  // namespace
}  // namespace squeeze_cc

std::optional<std::vector<bool>> resolve_squeeze(const NodeView& node, const Dims* x) {
  const Axes axes = given_axes(node);
  if (!x || (axes.given && !axes.values)) return {};
  const auto rank = static_cast<std::int64_t>(x->size());
  if (axes.given) return marked(node.normalize_axes(*axes.values, rank), rank);
  std::vector<bool> ones;
  for (const DimExpr& d : *x) {
    if (!d.is_constant()) return {};
    ones.push_back(d.constant() == 1);
  }
  return ones;
}

std::optional<std::vector<bool>> resolve_unsqueeze(const NodeView& node, std::optional<std::int64_t> rank) {
  const Axes axes = given_axes(node);
  if (!rank || !axes.values) return {};
  const std::int64_t out = *rank + static_cast<std::int64_t>(axes.values->size());
  return marked(node.normalize_axes(*axes.values, out), out);
}

constinit const Operator Squeeze = {
    .name = "Squeeze", .history = kSqueeze, .infer = infer_squeeze, .moves = Movement::First};
constinit const Operator Unsqueeze = {
    .name = "Unsqueeze", .history = kUnsqueeze, .infer = infer_unsqueeze, .moves = Movement::First};

void squeeze_schemas(SchemaTable& table) {
  table.add(Squeeze);
  table.add(Unsqueeze);
}

}  // namespace norn::ops
