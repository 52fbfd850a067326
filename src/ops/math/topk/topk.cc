// The greatest or smallest elements along an axis, with their positions. K was an attribute in version 1 and is an
// input since 10; `largest` and `sorted` came with 11. Of equal elements the lower position comes first.
#include "ops/math/topk/topk.h"

#include <string>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace topk_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)};
constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs10[] = {{.name = "X", .type = "T"}, {.name = "K", .type = "tensor(int64)"}};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T", .diff = kDiff},
    {.name = "K", .type = "tensor(int64)", .diff = kNonDiff},
};
constexpr Param kOutputs1[] = {{.name = "Values", .type = "T"}, {.name = "Indices", .type = "I"}};
constexpr Param kOutputs11[] = {
    {.name = "Values", .type = "T", .diff = kDiff},
    {.name = "Indices", .type = "I", .diff = kNonDiff},
};
constexpr Attr kAttrs1[] = {kAxis, {.name = "k", .type = ir::AttributeType::Int, .required = true}};
constexpr Attr kAttrs10[] = {kAxis};
constexpr Attr kAttrs11[] = {
    kAxis,
    {.name = "largest", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "sorted", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}, {"I", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kNumeric)}, {"I", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes24[] = {{"T", tensors(types::kNumericBf)}, {"I", tensors(elems(DataType::Int64))}};

constexpr Schema kTopK[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs1, .attrs = kAttrs10, .types = kTypes1},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs11, .types = kTypes11},
    {.since = 24,
     .inputs = kInputs11,
     .outputs = kOutputs11,
     .attrs = kAttrs11,
     .types = kTypes24,
     .same_meaning = true},
};

void infer_topk(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  ctx.set(1, DataType::Int64);
  require_single(ctx, 1);
  if (!ctx.has_rank(0)) return;
  const TopKParams p = resolve_topk(ctx, ctx.rank(0));
  Dims dims = ctx.shape(0);
  DimExpr& size = dims[static_cast<std::size_t>(p.axis)];
  if (p.k && p.k->is_constant() && size.is_constant() && p.k->constant() > size.constant())
    ctx.fail("k is " + p.k->to_string() + ", but there are " + size.to_string() + " elements along axis " +
             std::to_string(p.axis));
  size = p.k ? *p.k : ctx.fresh_dim("the contents of input 1 \"K\" are not known");
  ctx.set(0, ctx.elem(0), dims);
  ctx.set(1, DataType::Int64, std::move(dims));
}

}  // namespace
}  // namespace topk_cc

TopKParams resolve_topk(const NodeView& node, std::int64_t rank) {
  const Attrs& attrs = node.attrs();
  TopKParams p{.axis = node.axis(rank), .largest = node.version() < 11 || attrs.flag("largest"), .k = {}};
  if (node.version() < 10) {
    p.k = attrs.i("k");
  } else if (const auto k = node.known_ints(1)) {
    if (k->size() != 1) node.fail("K has to be one number, not " + std::to_string(k->size()));
    p.k = k->front();
  }
  if (p.k && p.k->is_constant() && p.k->constant() < 0)
    node.fail("k is " + p.k->to_string() + ", but a number of elements is not negative");
  return p;
}

constinit const Operator TopK = {.name = "TopK", .history = kTopK, .infer = infer_topk};

void topk_schemas(SchemaTable& table) { table.add(TopK); }

}  // namespace norn::ops
