// Which elements are infinite or not a number. Whether an 8-bit type has an infinity depends on its format: e4m3fn has
// none.
#include "ops/tensor/is_special/is_special.h"

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace is_special_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs10[] = {{.name = "X", .type = "T1", .diff = kNonDiff}};
constexpr Param kIsNaNInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kOutputs10[] = {{.name = "Y", .type = "T2", .diff = kNonDiff}};
constexpr Param kIsNaNOutputs[] = {{.name = "Y", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "detect_negative", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "detect_positive", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kIsInfTypes10[] = {
    {"T1", tensors(elems(DataType::Double, DataType::Float))},
    {"T2", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes20[] = {
    {"T1", tensors(types::kFloats | elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                                          DataType::Float8E5M2FNUZ))},
    {"T2", tensors(types::kBool)},
};
constexpr TypeConstraint kIsNaNTypes9[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", tensors(types::kBool)}};
constexpr TypeConstraint kIsNaNTypes13[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(types::kBool)}};

constexpr Schema kIsInf[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs, .types = kIsInfTypes10},
    {.since = 20, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs, .types = kTypes20, .same_meaning = true},
};

constexpr Schema kIsNaN[] = {
    {.since = 9, .inputs = kIsNaNInputs, .outputs = kIsNaNOutputs, .types = kIsNaNTypes9},
    {.since = 13, .inputs = kInputs10, .outputs = kOutputs10, .types = kIsNaNTypes13, .same_meaning = true},
    {.since = 20, .inputs = kInputs10, .outputs = kOutputs10, .types = kTypes20, .same_meaning = true},
};

void infer_special(InferContext& ctx) {
  if (ctx.has_rank(0))
    ctx.set(0, DataType::Bool, ctx.shape(0));
  else
    ctx.set(0, DataType::Bool);
}

}  // namespace
}  // namespace is_special_cc

DetectedSigns resolve_is_inf(const opset::Attrs& attrs) {
  return {.negative = attrs.flag("detect_negative"), .positive = attrs.flag("detect_positive")};
}

constinit const Operator IsInf = {.name = "IsInf", .history = kIsInf, .infer = infer_special};
constinit const Operator IsNaN = {.name = "IsNaN", .history = kIsNaN, .infer = infer_special};

void is_special_schemas(SchemaTable& table) {
  for (const Operator* op : {&IsInf, &IsNaN}) table.add(*op);
}

}  // namespace norn::ops
