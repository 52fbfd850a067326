// The slices that a list of booleans chooses. Without an axis the input is flattened. The list may be shorter than the
// axis. Negative axes came with 11.
#include "ops/tensor/compress/compress.h"

#include <algorithm>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace compress_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs9[] = {{.name = "input", .type = "T"}, {.name = "condition", .type = "T1"}};
constexpr Param kInputs11[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "condition", .type = "T1", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs9[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kAll)}, {"T1", tensors(types::kBool)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kAllBf)}, {"T1", tensors(types::kBool)}};

constexpr Schema kCompress[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs, .types = kTypes9},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes9},
    {.since = 28, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

void infer_compress(InferContext& ctx) {
  ctx.require_rank(1, 1);
  const auto given = ctx.attrs().find_i("axis");
  const bool ranked = ctx.has_rank(0);
  if (ranked && ctx.rank(0) == 0) ctx.fail("the input is a scalar; Compress chooses along an axis");
  std::optional<DimExpr> size;  // of what is chosen from
  std::optional<std::int64_t> axis;
  if (ranked) {
    axis = compress_axis(ctx, ctx.rank(0));
    size = axis ? ctx.shape(0)[static_cast<std::size_t>(*axis)] : product(ctx.shape(0));
  }
  std::optional<std::vector<std::int64_t>> chosen;
  if (const Tensor* condition = ctx.constant(1))
    chosen = compress_choice(ctx, *condition, size && size->is_constant() ? size->constant() : condition->size());
  if (given && !ranked) return ctx.set(0, ctx.elem(0));
  Dims dims = axis ? ctx.shape(0) : Dims{DimExpr()};
  dims[axis ? static_cast<std::size_t>(*axis) : 0] =
      chosen ? DimExpr(static_cast<std::int64_t>(chosen->size()))
             : ctx.fresh_dim("how many elements of condition are true is not known");
  ctx.set(0, ctx.elem(0), std::move(dims));
  const Dims* ints = ctx.ints(0);
  if (!ints || !chosen || ctx.rank(0) != 1) return;
  Dims kept;
  for (const std::int64_t k : *chosen) kept.push_back((*ints)[static_cast<std::size_t>(k)]);
  ctx.set_ints(0, std::move(kept));
}

}  // namespace
}  // namespace compress_cc

std::optional<std::int64_t> compress_axis(const NodeView& node, std::int64_t rank) {
  const auto axis = node.attrs().find_i("axis");
  return axis ? std::optional(node.normalize_axis(*axis, rank)) : std::nullopt;
}

std::vector<std::int64_t> compress_choice(const NodeView& node, const Tensor& condition, std::int64_t size) {
  if (condition.rank() != 1) node.fail("condition must have rank 1, not shape " + to_string(condition.dims()));
  const bool* const wanted = condition.as<bool>();
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(condition.size()));
  std::size_t count = 0;
  for (std::int64_t k = 0; k < condition.size(); ++k) {
    chosen[count] = k;
    count += wanted[k] ? 1 : 0;
  }
  chosen.resize(count);
  const auto beyond = std::lower_bound(chosen.begin(), chosen.end(), size);
  if (beyond != chosen.end())
    node.fail("condition chooses element " + std::to_string(*beyond) + ", but there are only " + std::to_string(size));
  return chosen;
}

constinit const Operator Compress = {.name = "Compress", .history = kCompress, .infer = infer_compress};

void compress_schemas(SchemaTable& table) { table.add(Compress); }

}  // namespace norn::ops
