// MatMul as numpy.matmul: a rank-1 operand is a row (left) or a column (right) whose dimension of 1 goes again, the
// dimensions before the last two broadcast. Scalars are not allowed.
#include "ops/math/matmul/matmul.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
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

void infer_matmul(InferContext& ctx) {
  const DataType elem = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1);
  for (int i = 0; i < 2; ++i) {
    if (ctx.has_rank(i) && ctx.rank(i) == 0)
      ctx.fail("a scalar cannot be multiplied as a matrix", "Mul multiplies by scalars");
  }
  if (!ctx.has_rank(0) || !ctx.has_rank(1)) return ctx.set(0, elem);
  Dims a = ctx.shape(0), b = ctx.shape(1);
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), DimExpr(1));
  if (column) b.emplace_back(1);
  ctx.unify(a.back(), b[b.size() - 2], "columns of A and rows of B");
  Dims out = broadcast(ctx, Dims(a.begin(), a.end() - 2), Dims(b.begin(), b.end() - 2));
  if (!row) out.push_back(a[a.size() - 2]);
  if (!column) out.push_back(b.back());
  ctx.set(0, elem, std::move(out));
}

}  // namespace

constinit const Operator MatMul = {.name = "MatMul", .history = kMatMul, .infer = infer_matmul};

void matmul_schemas(SchemaTable& table) { table.add(MatMul); }

}  // namespace norn::ops
