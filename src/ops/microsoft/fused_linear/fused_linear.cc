// MatMul, Gemm and Conv with what ONNX Runtime fuses into them.
#include "ops/microsoft/fused_linear/fused_linear.h"

#include <string>

#include "ops/common/agree.h"
#include "ops/microsoft/domain.h"
#include "ops/nn/conv/conv.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace fused_linear_cc {
namespace {

using namespace opset;

constexpr Param kFusedMatMulInputs[] = {
    {.name = "A", .type = "T"},
    {.name = "B", .type = "T"},
};
constexpr Param kFusedMatMulOutputs[] = {
    {.name = "Y", .type = "T"},
};
constexpr Attr kFusedMatMulAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.0f)},
    {.name = "transA", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "transB", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "transBatchA", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "transBatchB", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kFusedMatMulTypes[] = {
    {"T", tensors(types::kFloats)},
};
constexpr Param kFusedConvInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T"},
    {.name = "B", .type = "T", .option = ParamOption::Optional},
    {.name = "Z", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kFusedConvAttrs[] = {
    {.name = "activation", .type = ir::AttributeType::String},
    {.name = "activation_params", .type = ir::AttributeType::Floats},
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kFusedConvTypes[] = {
    {"T", tensors(types::kFloat16To64)},
};

constexpr Param kFusedGemmInputs[] = {
    {.name = "A", .type = "T"},
    {.name = "B", .type = "T"},
    {.name = "C", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kFusedGemmAttrs[] = {
    {.name = "activation", .type = ir::AttributeType::String},
    {.name = "activation_alpha", .type = ir::AttributeType::Float},
    {.name = "activation_beta", .type = ir::AttributeType::Float},
    {.name = "activation_gamma", .type = ir::AttributeType::Float},
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.0f)},
    {.name = "beta", .type = ir::AttributeType::Float, .def = def_float(1.0f)},
    {.name = "transA", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "transB", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kFusedGemmTypes[] = {
    {"T", tensors(types::kWideInts | types::kFloat16To64)},
};

constexpr Schema kFusedGemm[] = {
    {.since = 1,
     .inputs = kFusedGemmInputs,
     .outputs = kFusedMatMulOutputs,
     .attrs = kFusedGemmAttrs,
     .types = kFusedGemmTypes},
};

constexpr Schema kFusedMatMul[] = {
    {.since = 1,
     .inputs = kFusedMatMulInputs,
     .outputs = kFusedMatMulOutputs,
     .attrs = kFusedMatMulAttrs,
     .types = kFusedMatMulTypes},
};

constexpr Schema kFusedConv[] = {
    {.since = 1,
     .inputs = kFusedConvInputs,
     .outputs = kFusedMatMulOutputs,
     .attrs = kFusedConvAttrs,
     .types = kFusedConvTypes},
};

// Z has the shape of what it is added to.
void infer_fused_conv(InferContext& ctx) {
  const auto out = infer_conv(ctx, 0, 1, 2, ctx.elem(0));
  if (!out || !ctx.has_input(3)) return;
  ctx.require_rank(3, static_cast<std::int64_t>(out->size()));
  for (std::size_t d = 0; d < out->size(); ++d)
    agree(ctx, 3, static_cast<int>(d), (*out)[d], "axis " + std::to_string(d) + " of the convolution");
}

}  // namespace
}  // namespace fused_linear_cc

constinit const Operator FusedGemm = {.domain = kMicrosoftDomain, .name = "FusedGemm", .history = kFusedGemm};
constinit const Operator FusedMatMul = {.domain = kMicrosoftDomain, .name = "FusedMatMul", .history = kFusedMatMul};
constinit const Operator FusedConv = {
    .domain = kMicrosoftDomain, .name = "FusedConv", .history = kFusedConv, .infer = infer_fused_conv};

}  // namespace microsoft

void fused_linear_schemas(opset::SchemaTable& table) {
  table.add(microsoft::FusedGemm);
  table.add(microsoft::FusedMatMul);
  table.add(microsoft::FusedConv);
}

}  // namespace norn::ops
