// The p-norm over all spatial dimensions. p was a float in version 1.
#include "ops/nn/global_lp_pool/global_lp_pool.h"

#include "ops/common/pooling.h"

namespace norn::ops {
inline namespace global_lp_pool_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs2[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs2[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs1[] = {{.name = "p", .type = ir::AttributeType::Float, .def = def_float(2.0f)}};
constexpr Attr kAttrs2[] = {{.name = "p", .type = ir::AttributeType::Int, .def = def_int(2)}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kGlobalLpPool[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 2, .inputs = kInputs2, .outputs = kOutputs2, .attrs = kAttrs2, .types = kTypes1},
    {.since = 22, .inputs = kInputs2, .outputs = kOutputs2, .attrs = kAttrs2, .types = kTypes22, .same_meaning = true},
};

void infer_global_lp_pool(InferContext& ctx) {
  norm_order(ctx);
  infer_global_pool(ctx);
}

}  // namespace
}  // namespace global_lp_pool_cc

constinit const Operator GlobalLpPool = {
    .name = "GlobalLpPool", .history = kGlobalLpPool, .infer = infer_global_lp_pool};

void global_lp_pool_schemas(SchemaTable& table) { table.add(GlobalLpPool); }

}  // namespace norn::ops
