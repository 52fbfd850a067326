// Signatures of Max, Min, Sum and Mean.
//
// Before version 8 all inputs have one shape; since then they are broadcast together, so a step down from 8 is more
// than a narrowing of types. Max and Min of shapes carry symbolic integers; Sum and Mean take no
// integers.
#include "ops/math/variadic_arith/variadic_arith.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace variadic_arith_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kData[] = {{.name = "data_0", .type = "T", .option = kVariadic}};
constexpr Param kDiffData[] = {{.name = "data_0", .type = "T", .option = kVariadic, .diff = kDiff}};
constexpr Param kMaxOut[] = {{.name = "max", .type = "T"}};
constexpr Param kDiffMaxOut[] = {{.name = "max", .type = "T", .diff = kDiff}};
constexpr Param kMinOut[] = {{.name = "min", .type = "T"}};
constexpr Param kDiffMinOut[] = {{.name = "min", .type = "T", .diff = kDiff}};
constexpr Param kMeanOut[] = {{.name = "mean", .type = "T"}};
constexpr Param kDiffMeanOut[] = {{.name = "mean", .type = "T", .diff = kDiff}};
constexpr Param kSumOut[] = {{.name = "sum", .type = "T"}};
constexpr Param kDiffSumOut[] = {{.name = "sum", .type = "T", .diff = kDiff}};
constexpr Attr kConsumedInputs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};

constexpr TypeConstraint kFloat16To64[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kFloats[] = {{"T", tensors(types::kFloats)}};
constexpr TypeConstraint kNumeric[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kNumericBf[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kMax[] = {
    {.since = 1, .inputs = kData, .outputs = kMaxOut, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kData, .outputs = kMaxOut, .types = kFloat16To64},
    {.since = 8, .inputs = kData, .outputs = kMaxOut, .types = kFloat16To64},
    {.since = 12, .inputs = kData, .outputs = kMaxOut, .types = kNumeric, .same_meaning = true},
    {.since = 13, .inputs = kDiffData, .outputs = kDiffMaxOut, .types = kNumericBf, .same_meaning = true},
};
constexpr Schema kMin[] = {
    {.since = 1, .inputs = kData, .outputs = kMinOut, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kData, .outputs = kMinOut, .types = kFloat16To64},
    {.since = 8, .inputs = kData, .outputs = kMinOut, .types = kFloat16To64},
    {.since = 12, .inputs = kData, .outputs = kMinOut, .types = kNumeric, .same_meaning = true},
    {.since = 13, .inputs = kDiffData, .outputs = kDiffMinOut, .types = kNumericBf, .same_meaning = true},
};
constexpr Schema kSum[] = {
    {.since = 1, .inputs = kData, .outputs = kSumOut, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kData, .outputs = kSumOut, .types = kFloat16To64},
    {.since = 8, .inputs = kData, .outputs = kSumOut, .types = kFloat16To64},
    {.since = 13, .inputs = kDiffData, .outputs = kDiffSumOut, .types = kFloats, .same_meaning = true},
};
constexpr Schema kMean[] = {
    {.since = 1, .inputs = kData, .outputs = kMeanOut, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kData, .outputs = kMeanOut, .types = kFloat16To64},
    {.since = 8, .inputs = kData, .outputs = kMeanOut, .types = kFloat16To64},
    {.since = 13, .inputs = kDiffData, .outputs = kDiffMeanOut, .types = kFloats, .same_meaning = true},
};

// The shape that all inputs broadcast to; nothing if it depends on one of unknown rank.
std::optional<Dims> common_shape(InferContext& ctx) {
  if (ctx.version() < 8) return resolve_same_shape(ctx, ctx.input_count());
  std::optional<Dims> all;
  for (int i = 0; i < ctx.input_count(); ++i) {
    if (!ctx.has_rank(i)) return {};
    all = all ? broadcast(ctx, *all, ctx.shape(i)) : ctx.shape(i);
  }
  return all;
}

void infer_variadic(InferContext& ctx) {
  DataType elem = DataType::Undefined;
  for (int i = 0; i < ctx.input_count() && elem == DataType::Undefined; ++i) elem = ctx.elem(i);
  std::optional<Dims> dims = common_shape(ctx);
  if (dims)
    ctx.set(0, elem, std::move(*dims));
  else if (elem != DataType::Undefined)
    ctx.set(0, elem);
}

void infer_ints(InferContext& ctx, DimExpr (*pick)(const DimExpr&, const DimExpr&)) {
  infer_variadic(ctx);
  Dims all;
  for (int i = 0; i < ctx.input_count(); ++i) {
    const Dims* ints = ctx.ints(i);
    if (!ints) return;
    if (i == 0) {
      all = *ints;
      continue;
    }
    if (all.size() == 1 && ints->size() != 1) all.assign(ints->size(), all[0]);
    if (ints->size() != 1 && ints->size() != all.size()) return;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = pick(all[k], (*ints)[ints->size() == 1 ? 0 : k]);
  }
  if (ctx.input_count() > 0) ctx.set_ints(0, std::move(all));
}
void infer_max(InferContext& ctx) { infer_ints(ctx, DimExpr::max); }
void infer_min(InferContext& ctx) { infer_ints(ctx, DimExpr::min); }

}  // namespace
}  // namespace variadic_arith_cc

std::optional<Dims> resolve_same_shape(const NodeView& node, int inputs) {
  std::optional<Dims> all;
  for (int i = 0; i < inputs; ++i) {
    const auto dims = node.known_shape(i);
    if (!dims) continue;
    if (!all) all = dims;
    if (dims->size() != all->size())
      node.fail("all inputs must have the same shape, but there are " + to_string(*all) + " and " + to_string(*dims),
                "broadcasting came with version 8 of the operator");
    for (std::size_t d = 0; d < dims->size(); ++d)
      (*all)[d] = node.unify((*all)[d], (*dims)[d], "dimension " + std::to_string(d) + " of all inputs");
  }
  return all;
}

constinit const Operator Max = {.name = "Max", .history = kMax, .infer = infer_max, .elementwise = true};
constinit const Operator Min = {.name = "Min", .history = kMin, .infer = infer_min, .elementwise = true};
constinit const Operator Sum = {.name = "Sum", .history = kSum, .infer = infer_variadic, .elementwise = true};
constinit const Operator Mean = {.name = "Mean", .history = kMean, .infer = infer_variadic, .elementwise = true};

void variadic_arith_schemas(opset::SchemaTable& table) {
  for (const Operator* op : {&Max, &Min, &Sum, &Mean}) table.add(*op);
}

}  // namespace norn::ops
