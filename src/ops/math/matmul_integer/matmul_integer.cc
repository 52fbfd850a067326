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

void does_not_fit(const NodeView& node, const Dims& matrix, const Dims& given, By by) {
  node.fail("scales or zero points of shape " + to_string(given) + " do not fit a matrix of shape " + to_string(matrix),
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

Dims resolve_by(const NodeView& node, const Dims& matrix, const Dims& given, By by) {
  if (given.empty() || matrix.empty() || (given.size() == 1 && !DimExpr::differ(given[0], 1))) return {};
  const std::size_t rank = matrix.size(), back = by == By::Row ? 1 : 2;
  if (rank < 2 || (given.size() != 1 && given.size() != rank)) does_not_fit(node, matrix, given, by);
  if (given.size() == 1) {
    node.unify(matrix[rank - (3 - back)], given[0],
               by == By::Row ? "rows and size of the list for them" : "columns and size of the list for them");
    return by == By::Row ? Dims{given[0], 1} : Dims{1, given[0]};
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const bool across = d == rank - back;
    const DimExpr &own = given[d], &of = matrix[d];
    if (DimExpr::differ(own, 1) && (across || (of.is_constant() && own.is_constant() && of != own)))
      does_not_fit(node, matrix, given, by);
  }
  return given;
}

void infer_by(InferContext& ctx, int matrix, int given, By by) {
  if (ctx.has_rank(matrix) && ctx.has_rank(given)) resolve_by(ctx, ctx.shape(matrix), ctx.shape(given), by);
}

constinit const Operator MatMulInteger = {
    .name = "MatMulInteger", .history = kMatMulInteger, .infer = infer_matmul_integer};

void matmul_integer_schemas(SchemaTable& table) { table.add(MatMulInteger); }

}  // namespace norn::ops
