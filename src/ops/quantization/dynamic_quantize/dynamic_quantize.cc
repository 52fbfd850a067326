// Quantization to uint8 by the range of the data itself. The range is widened to hold zero, so that zero is exact.
#include "ops/quantization/dynamic_quantize/dynamic_quantize.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator DynamicQuantizeLinear = {.name = "DynamicQuantizeLinear", .history = kDynamicQuantizeLinear};

void dynamic_quantize_schemas(SchemaTable& table) { table.add(DynamicQuantizeLinear); }

}  // namespace norn::ops
