// Rows divided by their norm. MAX, L1 or L2. MAX is not of absolute values.
#include "ops/traditionalml/normalizer/normalizer.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kAttrs[] = {{.name = "norm", .type = ir::AttributeType::String, .def = def_string("MAX")}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kNormalizer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Normalizer = {.domain = "ai.onnx.ml", .name = "Normalizer", .history = kNormalizer};

void normalizer_schemas(SchemaTable& table) { table.add(Normalizer); }

}  // namespace norn::ops
