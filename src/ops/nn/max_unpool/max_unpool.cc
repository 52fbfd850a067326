// Values put back where MaxPool took them. Indices count in the input of that pooling, whose size output_shape gives
// where it is not unique; pads have no effect then, and never on the indices.
#include "ops/nn/max_unpool/max_unpool.h"

#include <string>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace max_unpool_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs9[] = {
    {.name = "X", .type = "T1"},
    {.name = "I", .type = "T2"},
    {.name = "output_shape", .type = "T2", .option = kOptional},
};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T1", .diff = kDiff},
    {.name = "I", .type = "T2", .diff = kNonDiff},
    {.name = "output_shape", .type = "T2", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs9[] = {{.name = "output", .type = "T1"}};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T1", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "kernel_shape", .type = ir::AttributeType::Ints, .required = true},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes9[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(elems(DataType::Int64))}};

constexpr Schema kMaxUnpool[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs, .types = kTypes9},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes9, .same_meaning = true},
    {.since = 22, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

void infer_max_unpool(InferContext& ctx) {
  const std::size_t rank = ctx.attrs().ints("kernel_shape").size() + 2;
  for (int i = 0; i < 2; ++i) ctx.require_rank(i, static_cast<std::int64_t>(rank));
  ctx.require_rank(2, 1);
  if (ctx.has_rank(0) && ctx.has_rank(1)) {
    for (std::size_t d = 0; d < rank; ++d) ctx.unify(ctx.shape(0)[d], ctx.shape(1)[d], "sizes of X and I");
  }
  Dims x;
  if (ctx.has_rank(0)) x = ctx.shape(0);
  while (x.size() < rank) x.push_back(ctx.fresh_dim());
  if (auto out = unpooled_shape(ctx, x)) return ctx.set(0, ctx.elem(0), std::move(*out));
  Dims out;
  ctx.explain("the contents of \"output_shape\" are not known");
  while (out.size() < rank) out.push_back(ctx.fresh_dim());
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace
}  // namespace max_unpool_cc

std::optional<Dims> unpooled_shape(const NodeView& node, const Dims& x) {
  const std::size_t rank = node.attrs().ints("kernel_shape").size();
  if (x.size() != rank + 2) {
    node.fail("kernel_shape has " + std::to_string(rank) + " sizes, which does not fit X " + to_string(x));
  }
  const WindowAttrs w = read_window(node.attrs(), rank);
  Dims out;
  if (node.has_input(2)) {
    auto given = node.known_ints(2);
    if (!given) return {};
    if (given->size() != x.size()) {
      node.fail("output_shape has " + std::to_string(given->size()) + " sizes, but X has " + std::to_string(x.size()));
    }
    out = std::move(*given);
  } else {
    out = {x[0], x[1]};
    for (std::size_t d = 0; d < rank; ++d)
      out.push_back((x[d + 2] - 1) * w.strides[d] - w.pads_begin[d] - w.pads_end[d] + w.kernel[d]);
  }
  for (const DimExpr& size : out)
    if (size.is_constant() && size.constant() < 0) node.fail("the output would have a size of " + size.to_string());
  return out;
}

constinit const Operator MaxUnpool = {
    .name = "MaxUnpool", .history = kMaxUnpool, .infer = infer_max_unpool, .moves = Movement::Mixed};

void max_unpool_schemas(SchemaTable& table) { table.add(MaxUnpool); }

}  // namespace norn::ops
