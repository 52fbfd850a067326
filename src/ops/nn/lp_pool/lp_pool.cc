// Pooling by the p-norm. p was a float in version 1. ceil_mode and dilations came with 18. Padding adds nothing to the
// norm.
#include "ops/nn/lp_pool/lp_pool.h"

#include "ops/common/pooling.h"

namespace norn::ops {
inline namespace lp_pool_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kAutoPad = {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")};
constexpr Attr kPads = {.name = "pads", .type = ir::AttributeType::Ints};
constexpr Attr kStrides = {.name = "strides", .type = ir::AttributeType::Ints};
constexpr Attr kKernelShape = {.name = "kernel_shape", .type = ir::AttributeType::Ints, .required = true};
constexpr Attr kP = {.name = "p", .type = ir::AttributeType::Int, .def = def_int(2)};
constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs11[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs1[] = {
    kAutoPad,
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "p", .type = ir::AttributeType::Float, .def = def_float(2.0f)},
    kPads,
    kStrides,
};
constexpr Attr kAttrs2[] = {kAutoPad, kKernelShape, kP, kPads, kStrides};
constexpr Attr kAttrs18[] = {
    kAutoPad,
    {.name = "ceil_mode", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    kKernelShape,
    kP,
    kPads,
    kStrides,
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kLpPool[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 2, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs2, .types = kTypes1},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs2, .types = kTypes1, .same_meaning = true},
    {.since = 18, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs18, .types = kTypes1},
    {.since = 22,
     .inputs = kInputs11,
     .outputs = kOutputs11,
     .attrs = kAttrs18,
     .types = kTypes22,
     .same_meaning = true},
};

void infer_lp_pool(InferContext& ctx) {
  norm_order(ctx);
  infer_pool(ctx);
}

}  // namespace
}  // namespace lp_pool_cc

constinit const Operator LpPool = {.name = "LpPool", .history = kLpPool, .infer = infer_lp_pool};

void lp_pool_schemas(SchemaTable& table) { table.add(LpPool); }

}  // namespace norn::ops
