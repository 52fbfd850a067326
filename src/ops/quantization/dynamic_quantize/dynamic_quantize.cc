// Quantization to uint8 by the range of the data itself. The range is widened to hold zero, so that zero is exact.
#include "ops/quantization/dynamic_quantize/dynamic_quantize.h"

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace dynamic_quantize_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "x", .type = "T1"}};
constexpr Param kOutputs[] = {
    {.name = "y", .type = "T2"},
    {.name = "y_scale", .type = "tensor(float)"},
    {.name = "y_zero_point", .type = "T2"},
};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(elems(DataType::Float))}, {"T2", tensors(elems(DataType::Uint8))}};

constexpr Schema kDynamicQuantizeLinear[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .types = kTypes},
};

void infer_dynamic_quantize(InferContext& ctx) {
  if (ctx.has_rank(0))
    ctx.set(0, DataType::Uint8, ctx.shape(0));
  else
    ctx.set(0, DataType::Uint8);
  ctx.set(1, DataType::Float, {});
  ctx.set(2, DataType::Uint8, {});
}

}  // namespace
}  // namespace dynamic_quantize_cc

constinit const Operator DynamicQuantizeLinear = {
    .name = "DynamicQuantizeLinear", .history = kDynamicQuantizeLinear, .infer = infer_dynamic_quantize};

void dynamic_quantize_schemas(SchemaTable& table) { table.add(DynamicQuantizeLinear); }

}  // namespace norn::ops
