// The ten reductions. They differ in types and in what they compute; the axes are read in one way.
//
// The axes were an attribute (ReduceSum up to 11, the others up to 13) and are an input since. Neither axes nor an
// empty list of them means all axes, unless noop_with_empty_axes says that it means none. Negative axes came with 11.
// ReduceLogSum and ReduceLogSumExp lost their integer types with 28.
#include "ops/reduction/reduce/reduce.h"

#include <algorithm>

#include "norn/error.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace reduce_cc {
namespace {

using namespace opset;

constexpr Param kData = {.name = "data", .type = "T", .diff = Differentiability::Differentiable};
constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kInputs13[] = {kData};
constexpr Param kInputs18[] = {kData,
                               {.name = "axes",
                                .type = "tensor(int64)",
                                .option = ParamOption::Optional,
                                .diff = Differentiability::NonDifferentiable}};
constexpr Param kOutputs1[] = {{.name = "reduced", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "reduced", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kKeepDims = {.name = "keepdims", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kAttrs1[] = {{.name = "axes", .type = ir::AttributeType::Ints}, kKeepDims};
constexpr Attr kAttrs18[] = {kKeepDims,
                             {.name = "noop_with_empty_axes", .type = ir::AttributeType::Int, .def = def_int(0)}};

constexpr std::uint32_t kByte = elems(DataType::Int8, DataType::Uint8);
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kWideInts | types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kWideInts | types::kFloats)}};
constexpr TypeConstraint kExtremum12[] = {{"T", tensors(types::kWideInts | types::kFloat16To64 | kByte)}};
constexpr TypeConstraint kExtremum13[] = {{"T", tensors(types::kWideInts | types::kFloats | kByte)}};
constexpr TypeConstraint kExtremum20[] = {{"T", tensors(types::kWideInts | types::kFloats | kByte | types::kBool)}};
constexpr TypeConstraint kFloatTypes[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kRow1 = {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1};
constexpr Schema kRow11 = {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1};
constexpr Schema kRow13 = {
    .since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs1, .types = kTypes13, .same_meaning = true};
constexpr Schema kRow18 = {
    .since = 18, .inputs = kInputs18, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13};

constexpr Schema kPlain[] = {kRow1, kRow11, kRow13, kRow18};
constexpr Schema kSum[] = {
    kRow1,
    kRow11,
    {.since = 13, .inputs = kInputs18, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13},
};
constexpr Schema kLogarithmic[] = {
    kRow1,
    kRow11,
    kRow13,
    kRow18,
    {.since = 28, .inputs = kInputs18, .outputs = kOutputs13, .attrs = kAttrs18, .types = kFloatTypes},
};
constexpr Schema kExtremum[] = {
    kRow1,
    kRow11,
    {.since = 12,
     .inputs = kInputs1,
     .outputs = kOutputs1,
     .attrs = kAttrs1,
     .types = kExtremum12,
     .same_meaning = true},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs1,
     .types = kExtremum13,
     .same_meaning = true},
    {.since = 18, .inputs = kInputs18, .outputs = kOutputs13, .attrs = kAttrs18, .types = kExtremum13},
    {.since = 20,
     .inputs = kInputs18,
     .outputs = kOutputs13,
     .attrs = kAttrs18,
     .types = kExtremum20,
     .same_meaning = true},
};

void infer_reduce(InferContext& ctx) {
  const DataType elem = ctx.elem(0);
  if (ctx.has_input(1)) ctx.require_rank(1, 1);
  const ReduceParams p = resolve_reduce(ctx);
  if (!ctx.has_rank(0)) {
    if (p.all && !p.keepdims) return ctx.set(0, elem, Dims{});
    return ctx.set(0, elem);
  }
  const Dims& in = ctx.shape(0);
  const auto rank = static_cast<std::int64_t>(in.size());
  Dims out;
  const auto reduced = reduced_dims(ctx, p, rank);
  if (!reduced) {
    ctx.explain("the contents of axes are not known");
    std::int64_t left = rank;
    if (!p.keepdims) {
      if (!ctx.has_rank(1) || !ctx.shape(1)[0].is_constant()) return ctx.set(0, elem);
      left -= ctx.shape(1)[0].constant();
      if (left < 0) ctx.fail("there are more axes than the " + std::to_string(rank) + " dimensions of data");
    }
    for (std::int64_t d = 0; d < left; ++d) out.push_back(ctx.fresh_dim());
    return ctx.set(0, elem, std::move(out));
  }
  for (std::size_t d = 0; d < in.size(); ++d) {
    if (!(*reduced)[d])
      out.push_back(in[d]);
    else if (p.keepdims)
      out.emplace_back(1);
  }
  ctx.set(0, elem, std::move(out));
}

// Known integers: rank 0 or 1, all of them reduced, folded from the first on.
void infer_ints(InferContext& ctx, DimExpr (*fold)(const DimExpr&, const DimExpr&)) {
  infer_reduce(ctx);
  const Dims* ints = ctx.ints(0);
  const ReduceParams p = resolve_reduce(ctx);
  if (!ints || ints->empty() || !ctx.has_rank(0) || (!p.all && !p.axes)) return;
  if (ctx.rank(0) == 0 || (!p.all && p.axes->empty())) return ctx.set_ints(0, *ints);
  try {
    DimExpr result = ints->front();
    for (std::size_t k = 1; k < ints->size(); ++k) result = fold(result, (*ints)[k]);
    ctx.set_ints(0, {result});
  } catch (const Error&) {
    // Too large for an expression: the contents stay unknown.
  }
}

void infer_sum(InferContext& ctx) {
  infer_ints(ctx, [](const DimExpr& a, const DimExpr& b) { return a + b; });
}
void infer_prod(InferContext& ctx) {
  infer_ints(ctx, [](const DimExpr& a, const DimExpr& b) { return a * b; });
}
void infer_reduce_max(InferContext& ctx) {
  infer_ints(ctx, [](const DimExpr& a, const DimExpr& b) { return DimExpr::max(a, b); });
}
void infer_reduce_min(InferContext& ctx) {
  infer_ints(ctx, [](const DimExpr& a, const DimExpr& b) { return DimExpr::min(a, b); });
}

}  // namespace
}  // namespace reduce_cc

ReduceParams resolve_reduce(const NodeView& node) {
  ReduceParams p;
  p.keepdims = node.attrs().flag("keepdims");
  const bool noop = node.attrs().declares("noop_with_empty_axes") && node.attrs().flag("noop_with_empty_axes");
  if (node.attrs().declares("axes"))
    p.axes = node.attrs().find_ints("axes");
  else if (node.has_input(1)) {
    p.axes = node.const_ints(1);
    if (!p.axes) return p;
  }
  if (!p.axes) p.axes.emplace();
  p.all = p.axes->empty() && !noop;
  return p;
}

std::optional<std::vector<bool>> reduced_dims(const NodeView& node, const ReduceParams& p, std::int64_t rank) {
  if (p.all) return std::vector<bool>(static_cast<std::size_t>(rank), true);
  if (!p.axes) return {};
  return marked(node.normalize_axes(*p.axes, rank), rank);
}

constinit const Operator ReduceMean = {.name = "ReduceMean", .history = kPlain, .infer = infer_reduce};
constinit const Operator ReduceSum = {.name = "ReduceSum", .history = kSum, .infer = infer_sum};
constinit const Operator ReduceMax = {.name = "ReduceMax", .history = kExtremum, .infer = infer_reduce_max};
constinit const Operator ReduceMin = {.name = "ReduceMin", .history = kExtremum, .infer = infer_reduce_min};
constinit const Operator ReduceProd = {.name = "ReduceProd", .history = kPlain, .infer = infer_prod};
constinit const Operator ReduceL1 = {.name = "ReduceL1", .history = kPlain, .infer = infer_reduce};
constinit const Operator ReduceL2 = {.name = "ReduceL2", .history = kPlain, .infer = infer_reduce};
constinit const Operator ReduceLogSum = {.name = "ReduceLogSum", .history = kLogarithmic, .infer = infer_reduce};
constinit const Operator ReduceLogSumExp = {.name = "ReduceLogSumExp", .history = kLogarithmic, .infer = infer_reduce};
constinit const Operator ReduceSumSquare = {.name = "ReduceSumSquare", .history = kPlain, .infer = infer_reduce};

void reduce_schemas(SchemaTable& table) {
  for (const Operator* op : {&ReduceMean, &ReduceSum, &ReduceMax, &ReduceMin, &ReduceProd, &ReduceL1, &ReduceL2,
                             &ReduceLogSum, &ReduceLogSumExp, &ReduceSumSquare}) {
    table.add(*op);
  }
}

}  // namespace norn::ops
