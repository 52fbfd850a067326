// Matrix product of 8-bit integers into 32 bits. Zero points are subtracted first: one number, or one for each row of A
// or column of B.
#include "ops/math/matmul_integer/matmul_integer.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator MatMulInteger = {.name = "MatMulInteger", .history = kMatMulInteger};

void matmul_integer_schemas(SchemaTable& table) { table.add(MatMulInteger); }

}  // namespace norn::ops
