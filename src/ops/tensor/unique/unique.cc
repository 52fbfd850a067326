// The distinct elements, or slices along an axis. Sorted, or in the order of first appearance; their number is only
// known by running.
#include "ops/tensor/unique/unique.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace unique_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T", .diff = kNonDiff},
    {.name = "indices", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
    {.name = "inverse_indices", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
    {.name = "counts", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
    {.name = "sorted", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kUnique[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes11},
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

void infer_unique(InferContext& ctx) {
  const UniqueParams p = resolve_unique(ctx);
  const DimExpr kept = ctx.fresh_dim("it is the number of distinct elements or slices");
  ctx.set(1, DataType::Int64, {kept});
  ctx.set(3, DataType::Int64, {kept});
  if (p.flattened) {
    ctx.set(0, ctx.elem(0), {kept});
    ctx.set(2, DataType::Int64, {ctx.has_rank(0) ? product(ctx.shape(0)) : ctx.fresh_dim()});
  } else if (!ctx.has_rank(0)) {
    ctx.set(0, ctx.elem(0));
    ctx.set(2, DataType::Int64, {ctx.fresh_dim()});
  } else {
    Dims dims = ctx.shape(0);
    DimExpr& size = dims[static_cast<std::size_t>(p.axis)];
    ctx.set(2, DataType::Int64, {size});
    size = kept;
    ctx.set(0, ctx.elem(0), std::move(dims));
  }
}

}  // namespace
}  // namespace unique_cc

UniqueParams resolve_unique(const NodeView& node) {
  const std::int64_t sorted = node.attrs().i("sorted");
  if (sorted != 0 && sorted != 1) node.fail("sorted is " + std::to_string(sorted) + ", but has to be 0 or 1");
  UniqueParams p{.sorted = sorted == 1, .flattened = !node.attrs().has("axis")};
  const auto x = node.known_shape(0);
  if (!p.flattened && x) p.axis = node.axis(static_cast<std::int64_t>(x->size()));
  return p;
}

constinit const Operator Unique = {.name = "Unique", .history = kUnique, .infer = infer_unique};

void unique_schemas(SchemaTable& table) { table.add(Unique); }

}  // namespace norn::ops
