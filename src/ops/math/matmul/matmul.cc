// MatMul as numpy.matmul: a rank-1 operand is a row (left) or a column (right) whose dimension of 1 goes again, the
// dimensions before the last two broadcast. Scalars are not allowed.
#include "ops/math/matmul/matmul.h"

#include <string>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace matmul_cc {
namespace {

using namespace opset;

constexpr Param kInputs1[] = {{.name = "A", .type = "T"}, {.name = "B", .type = "T"}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kInputs[] = {
    {.name = "A", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "B", .type = "T", .diff = Differentiability::Differentiable},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = Differentiability::Differentiable}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kWideInts | types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kWideInts | types::kFloats)}};

constexpr Schema kMatMul[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 9, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes9, .same_meaning = true},
    {.since = 13, .inputs = kInputs, .outputs = kOutputs, .types = kTypes13, .same_meaning = true},
};

void check_factors(const NodeView& node, const std::optional<Dims>& a, const std::optional<Dims>& b) {
  for (const auto* factor : {&a, &b})
    if (*factor && (*factor)->empty())
      node.fail("a scalar cannot be multiplied as a matrix", "Mul multiplies by scalars");
  if (a && b) node.unify(a->back(), (*b)[b->size() == 1 ? 0 : b->size() - 2], "columns of A and rows of B");
}

void infer_one_matmul(InferContext& ctx) {
  infer_matmul(ctx, 0, 1, ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1));
}

}  // namespace
}  // namespace matmul_cc

MatMulShape resolve_matmul(const NodeView& node, const Shape& a, const Shape& b) {
  check_factors(node, to_dims(a), to_dims(b));
  MatMulShape s{.m = 1, .k = a.back(), .n = 1, .a_batch = a, .b_batch = b, .batch = {}, .out = {}};
  const bool row = a.size() == 1, column = b.size() == 1;
  if (!row) s.m = a[a.size() - 2];
  if (!column) s.n = b.back();
  s.a_batch.resize(row ? 0 : a.size() - 2);
  s.b_batch.resize(column ? 0 : b.size() - 2);
  s.batch = broadcast(s.a_batch, s.b_batch);
  s.out = s.batch;
  if (!row) s.out.push_back(s.m);
  if (!column) s.out.push_back(s.n);
  return s;
}

void infer_matmul(InferContext& ctx, int a_input, int b_input, DataType elem) {
  auto a = ctx.known_shape(a_input), b = ctx.known_shape(b_input);
  check_factors(ctx, a, b);
  if (!a || !b) return ctx.set(0, elem);
  const bool row = a->size() == 1, column = b->size() == 1;
  if (row) a->insert(a->begin(), DimExpr(1));
  if (column) b->emplace_back(1);
  Dims out = broadcast(ctx, Dims(a->begin(), a->end() - 2), Dims(b->begin(), b->end() - 2));
  if (!row) out.push_back((*a)[a->size() - 2]);
  if (!column) out.push_back(b->back());
  ctx.set(0, elem, std::move(out));
}

constinit const Operator MatMul = {.name = "MatMul", .history = kMatMul, .infer = infer_one_matmul};

void matmul_schemas(SchemaTable& table) { table.add(MatMul); }

}  // namespace norn::ops
