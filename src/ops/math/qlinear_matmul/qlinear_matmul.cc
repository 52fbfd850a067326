// Matrix product of quantized tensors. 21 took 8-bit floating types and gave scales a type of their own.
#include "ops/math/qlinear_matmul/qlinear_matmul.h"

#include "ops/common/shapes.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/matmul_integer/matmul_integer.h"
#include "ops/quantization/quantize/quantize.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace qlinear_matmul_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kA = {.name = "a", .type = "T1", .diff = kNonDiff};
constexpr Param kAZeroPoint = {.name = "a_zero_point", .type = "T1", .diff = kNonDiff};
constexpr Param kB = {.name = "b", .type = "T2", .diff = kNonDiff};
constexpr Param kBZeroPoint = {.name = "b_zero_point", .type = "T2", .diff = kNonDiff};
constexpr Param kYZeroPoint = {.name = "y_zero_point", .type = "T3", .diff = kNonDiff};
constexpr TypeSet kSetT110 = tensors(elems(DataType::Int8, DataType::Uint8));
constexpr TypeSet kSetT121 = tensors(elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                                           DataType::Float8E5M2FNUZ, DataType::Int8, DataType::Uint8));
constexpr Param kInputs10[] = {
    kA,
    {.name = "a_scale", .type = "tensor(float)", .diff = kNonDiff},
    kAZeroPoint,
    kB,
    {.name = "b_scale", .type = "tensor(float)", .diff = kNonDiff},
    kBZeroPoint,
    {.name = "y_scale", .type = "tensor(float)", .diff = kNonDiff},
    kYZeroPoint,
};
constexpr Param kInputs21[] = {
    kA,
    {.name = "a_scale", .type = "TS", .diff = kNonDiff},
    kAZeroPoint,
    kB,
    {.name = "b_scale", .type = "TS", .diff = kNonDiff},
    kBZeroPoint,
    {.name = "y_scale", .type = "TS", .diff = kNonDiff},
    kYZeroPoint,
};
constexpr Param kOutputs[] = {{.name = "y", .type = "T3", .diff = kNonDiff}};
constexpr TypeConstraint kTypes10[] = {
    {"T1", kSetT110},
    {"T2", kSetT110},
    {"T3", kSetT110},
};
constexpr TypeConstraint kTypes21[] = {
    {"TS", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"T1", kSetT121},
    {"T2", kSetT121},
    {"T3", kSetT121},
};

constexpr Schema kQLinearMatMul[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs, .types = kTypes10},
    {.since = 21, .inputs = kInputs21, .outputs = kOutputs, .types = kTypes21},
};

void infer_qlinear_matmul(InferContext& ctx) {
  for (const int i : {1, 2}) infer_by(ctx, 0, i, By::Row);
  for (const int i : {4, 5}) infer_by(ctx, 3, i, By::Column);
  for (const int i : {1, 4}) require_shape_of_scale(ctx, i, i + 1);
  for (const int i : {6, 7}) require_single(ctx, i);
  infer_matmul(ctx, 0, 3, ctx.elem(7));
}

}  // namespace
}  // namespace qlinear_matmul_cc

constinit const Operator QLinearMatMul = {
    .name = "QLinearMatMul", .history = kQLinearMatMul, .infer = infer_qlinear_matmul};

void qlinear_matmul_schemas(SchemaTable& table) { table.add(QLinearMatMul); }

}  // namespace norn::ops
