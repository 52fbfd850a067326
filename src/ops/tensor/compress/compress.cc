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
  const CompressParams p = resolve_compress(ctx);
  const bool ranked = ctx.has_rank(0);
  const auto axis = static_cast<std::size_t>(p.axis);
  std::optional<DimExpr> size;  // of what is chosen from
  if (ranked) size = p.flattened ? product(ctx.shape(0)) : ctx.shape(0)[axis];
  std::optional<std::vector<std::int64_t>> chosen;
  if (const Tensor* condition = ctx.constant(1))
    chosen = compress_choice(ctx, *condition, size && size->is_constant() ? size->constant() : condition->size());
  if (!p.flattened && !ranked) return ctx.set(0, ctx.elem(0));
  Dims dims = p.flattened ? Dims{DimExpr()} : ctx.shape(0);
  dims[axis] = chosen ? DimExpr(static_cast<std::int64_t>(chosen->size()))
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

CompressParams resolve_compress(const NodeView& node) {
  node.require_rank(1, 1);
  CompressParams p{.flattened = !node.attrs().has("axis")};
  const auto x = node.known_shape(0);
  if (x && x->empty()) node.fail("the input is a scalar; Compress chooses along an axis");
  if (x && !p.flattened) p.axis = node.axis(static_cast<std::int64_t>(x->size()));
  return p;
}

std::vector<std::int64_t> compress_choice(const NodeView& node, const Tensor& condition, std::int64_t size) {
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

constinit const Operator Compress = {
    .name = "Compress", .history = kCompress, .infer = infer_compress, .moves = Movement::First};

void compress_schemas(SchemaTable& table) { table.add(Compress); }

}  // namespace norn::ops
