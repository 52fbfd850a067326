// Powers, element by element. The result has the base's type, whatever the exponent's: 12 let the two differ. Version 1
// broadcasts only where the attribute says so.
#include "ops/math/pow/pow.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace pow_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs1[] = {{.name = "X", .type = "T"}, {.name = "Y", .type = "T"}};
constexpr Param kInputs12[] = {{.name = "X", .type = "T"}, {.name = "Y", .type = "T1"}};
constexpr Param kInputs13[] = {{.name = "X", .type = "T", .diff = kDiff}, {.name = "Y", .type = "T1", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "Z", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "Z", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
    {.name = "broadcast", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes12[] = {
    {"T", tensors(types::kFloat16To64 | types::kIndex)},
    {"T1", tensors(types::kNumeric)},
};
constexpr TypeConstraint kTypes13[] = {
    {"T", tensors(types::kFloats | types::kIndex)},
    {"T1", tensors(types::kNumeric)},
};
constexpr TypeConstraint kTypes15[] = {
    {"T", tensors(types::kFloats | types::kIndex)},
    {"T1", tensors(types::kNumericBf)},
};

constexpr Schema kPow[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 12, .inputs = kInputs12, .outputs = kOutputs1, .types = kTypes12},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
    {.since = 15, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes15, .same_meaning = true},
};

void infer_pow(InferContext& ctx) { infer_pairs(ctx, ctx.elem(0)); }

}  // namespace
}  // namespace pow_cc

constinit const Operator Pow = {.name = "Pow", .history = kPow, .infer = infer_pow, .elementwise = true};

void pow_schemas(SchemaTable& table) { table.add(Pow); }

}  // namespace norn::ops
