// Signatures of the unary element-wise operators.
//
// Version 1 carries consumed_inputs, a hint for running in place that means nothing. Types do not only widen: Erf took
// integers in version 9 and takes floating types alone since 13. Relu, Abs and Neg of shapes carry symbolic integers.
#include "ops/math/unary_math/unary_math.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace unary_math_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kX[] = {{.name = "X", .type = "T"}};
constexpr Param kY[] = {{.name = "Y", .type = "T"}};
constexpr Param kDiffX[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kDiffY[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Param kInput[] = {{.name = "input", .type = "T"}};
constexpr Param kOutput[] = {{.name = "output", .type = "T"}};
constexpr Param kDiffInput[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kDiffOutput[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kConsumedInputs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};

constexpr TypeConstraint kFloat16To64[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kFloats[] = {{"T", tensors(types::kFloats)}};
constexpr TypeConstraint kSignedFloat16To64[] = {{"T", tensors(types::kSigned | types::kFloat16To64)}};
constexpr TypeConstraint kSignedFloats[] = {{"T", tensors(types::kSigned | types::kFloats)}};
constexpr TypeConstraint kNumeric[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kNumericBf[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kRelu[] = {
    {.since = 1, .inputs = kX, .outputs = kY, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kX, .outputs = kY, .types = kFloat16To64},
    {.since = 13, .inputs = kDiffX, .outputs = kDiffY, .types = kFloats, .same_meaning = true},
    {.since = 14, .inputs = kDiffX, .outputs = kDiffY, .types = kSignedFloats, .same_meaning = true},
};
constexpr Schema kAbs[] = {
    {.since = 1, .inputs = kX, .outputs = kY, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kX, .outputs = kY, .types = kNumeric},
    {.since = 13, .inputs = kDiffX, .outputs = kDiffY, .types = kNumericBf, .same_meaning = true},
};
constexpr Schema kNeg[] = {
    {.since = 1, .inputs = kX, .outputs = kY, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kX, .outputs = kY, .types = kSignedFloat16To64},
    {.since = 13, .inputs = kDiffX, .outputs = kDiffY, .types = kSignedFloats, .same_meaning = true},
};
// Sqrt and Sigmoid.
constexpr Schema kNamedXY[] = {
    {.since = 1, .inputs = kX, .outputs = kY, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kX, .outputs = kY, .types = kFloat16To64},
    {.since = 13, .inputs = kDiffX, .outputs = kDiffY, .types = kFloats, .same_meaning = true},
};
// Exp and Tanh.
constexpr Schema kNamedInputOutput[] = {
    {.since = 1, .inputs = kInput, .outputs = kOutput, .attrs = kConsumedInputs, .types = kFloat16To64},
    {.since = 6, .inputs = kInput, .outputs = kOutput, .types = kFloat16To64},
    {.since = 13, .inputs = kDiffInput, .outputs = kDiffOutput, .types = kFloats, .same_meaning = true},
};
constexpr Schema kErf[] = {
    {.since = 9, .inputs = kInput, .outputs = kOutput, .types = kNumeric},
    {.since = 13, .inputs = kDiffInput, .outputs = kDiffOutput, .types = kFloats},
};
constexpr Schema kSoftsign[] = {
    {.since = 1, .inputs = kDiffInput, .outputs = kDiffOutput, .types = kFloat16To64},
    {.since = 22, .inputs = kDiffInput, .outputs = kDiffOutput, .types = kFloats, .same_meaning = true},
};

void infer_ints(InferContext& ctx, DimExpr (*f)(const DimExpr&)) {
  same_as_input(ctx);
  const Dims* ints = ctx.ints(0);
  if (!ints) return;
  Dims result;
  try {
    for (const DimExpr& x : *ints) result.push_back(f(x));
  } catch (const Error&) {
    return;  // the least element has no negative: it wraps around, which expressions do not
  }
  ctx.set_ints(0, std::move(result));
}
void infer_relu(InferContext& ctx) {
  infer_ints(ctx, [](const DimExpr& x) { return DimExpr::max(x, 0); });
}
void infer_abs(InferContext& ctx) {
  infer_ints(ctx, [](const DimExpr& x) { return DimExpr::max(x, DimExpr(0) - x); });
}
void infer_neg(InferContext& ctx) {
  infer_ints(ctx, [](const DimExpr& x) { return DimExpr(0) - x; });
}

}  // namespace
}  // namespace unary_math_cc

constinit const Operator Relu = {.name = "Relu", .history = kRelu, .infer = infer_relu, .elementwise = true};
constinit const Operator Abs = {.name = "Abs", .history = kAbs, .infer = infer_abs, .elementwise = true};
constinit const Operator Neg = {.name = "Neg", .history = kNeg, .infer = infer_neg, .elementwise = true};
constinit const Operator Exp = {
    .name = "Exp", .history = kNamedInputOutput, .infer = same_as_input, .elementwise = true};
constinit const Operator Sqrt = {.name = "Sqrt", .history = kNamedXY, .infer = same_as_input, .elementwise = true};
constinit const Operator Erf = {.name = "Erf", .history = kErf, .infer = same_as_input, .elementwise = true};
constinit const Operator Sigmoid = {
    .name = "Sigmoid", .history = kNamedXY, .infer = same_as_input, .elementwise = true};
constinit const Operator Tanh = {
    .name = "Tanh", .history = kNamedInputOutput, .infer = same_as_input, .elementwise = true};
constinit const Operator Softsign = {
    .name = "Softsign", .history = kSoftsign, .infer = same_as_input, .elementwise = true};

void unary_math_schemas(opset::SchemaTable& table) {
  for (const Operator* op : {&Relu, &Abs, &Neg, &Exp, &Sqrt, &Erf, &Sigmoid, &Tanh, &Softsign}) table.add(*op);
}

}  // namespace norn::ops
