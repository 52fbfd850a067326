// Matrix product of 8-bit integers into 32 bits. Zero points are subtracted first: one number, or one for each row of A
// or column of B.
#include "ops/math/matmul_integer/matmul_integer.h"

#include <string>

#include "ops/math/matmul/matmul.h"

namespace norn::ops {
inline namespace matmul_integer_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr TypeSet kSetT110 = tensors(elems(DataType::Int8, DataType::Uint8));
constexpr Param kInputs[] = {
    {.name = "A", .type = "T1", .diff = kNonDiff},
    {.name = "B", .type = "T2", .diff = kNonDiff},
    {.name = "a_zero_point", .type = "T1", .option = kOptional, .diff = kNonDiff},
    {.name = "b_zero_point", .type = "T2", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T3", .diff = kNonDiff}};
constexpr TypeConstraint kTypes[] = {
    {"T1", kSetT110},
    {"T2", kSetT110},
    {"T3", tensors(elems(DataType::Int32))},
};

constexpr Schema kMatMulInteger[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .types = kTypes},
};

void zero_point_does_not_fit(const NodeView& node, const std::string& matrix, const std::string& given, By by) {
  node.fail("scales or zero points of shape " + given + " do not fit a matrix of shape " + matrix,
            by == By::Row ? "it takes one number, one for each row, or a tensor of the same rank whose last size is 1"
                          : "it takes one number, one for each column, or a tensor of the same rank whose second last "
                            "size is 1");
}

void infer_matmul_integer(InferContext& ctx) {
  infer_by(ctx, 0, 2, By::Row);
  infer_by(ctx, 1, 3, By::Column);
  infer_matmul(ctx, 0, 1, DataType::Int32);
}

}  // namespace
}  // namespace matmul_integer_cc

Shape resolve_by(const NodeView& node, const Shape& matrix, const Shape& given, By by) {
  if (given.empty() || given == Shape{1}) return {};
  const std::size_t across = matrix.size() - (by == By::Row ? 1 : 2);
  Shape shape = given;
  if (given.size() == 1) shape = by == By::Row ? Shape{given[0], 1} : Shape{1, given[0]};
  bool fits =
      (given.size() == 1 || given.size() == matrix.size()) && shape[shape.size() - (matrix.size() - across)] == 1;
  const std::size_t skip = matrix.size() - shape.size();
  for (std::size_t d = 0; fits && d < shape.size(); ++d) {
    // A list has one for each; of a tensor, 1 stands for all.
    fits = d + skip == across || shape[d] == matrix[d + skip] || (shape[d] == 1 && given.size() > 1);
  }
  if (!fits) zero_point_does_not_fit(node, norn::to_string(matrix), norn::to_string(given), by);
  return shape;
}

void infer_by(InferContext& ctx, int matrix, int given, By by) {
  if (!ctx.has_rank(matrix) || !ctx.has_rank(given)) return;
  const Dims &m = ctx.shape(matrix), &g = ctx.shape(given);
  if (g.empty() || m.empty() || (g.size() == 1 && !DimExpr::differ(g[0], 1))) return;
  const std::size_t back = by == By::Row ? 1 : 2;
  if (m.size() < 2 || (g.size() != 1 && g.size() != m.size()))
    return zero_point_does_not_fit(ctx, to_string(m), to_string(g), by);
  if (g.size() == 1) {
    ctx.unify(m[m.size() - (3 - back)], g[0],
              by == By::Row ? "rows and size of the list for them" : "columns and size of the list for them");
    return;
  }
  for (std::size_t d = 0; d < g.size(); ++d) {
    const bool across = d == m.size() - back;
    if (DimExpr::differ(g[d], 1) && (across || (m[d].is_constant() && g[d].is_constant() && m[d] != g[d])))
      zero_point_does_not_fit(ctx, to_string(m), to_string(g), by);
  }
}

constinit const Operator MatMulInteger = {
    .name = "MatMulInteger", .history = kMatMulInteger, .infer = infer_matmul_integer};

void matmul_integer_schemas(SchemaTable& table) { table.add(MatMulInteger); }

}  // namespace norn::ops
