// (x - offset) * scale, for all columns or each. The output is float, whatever the input.
#include "ops/traditionalml/scaler/scaler.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kAttrs[] = {
    {.name = "offset", .type = ir::AttributeType::Floats},
    {.name = "scale", .type = ir::AttributeType::Floats},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kScaler[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Scaler = {.domain = "ai.onnx.ml", .name = "Scaler", .history = kScaler};

void scaler_schemas(SchemaTable& table) { table.add(Scaler); }

}  // namespace norn::ops
