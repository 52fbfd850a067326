// Categories as vectors with a one. An unknown category gives zeros, or is an error with zeros = 0.
#include "ops/traditionalml/one_hot_encoder/one_hot_encoder.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kAttrs[] = {
    {.name = "cats_int64s", .type = ir::AttributeType::Ints},
    {.name = "cats_strings", .type = ir::AttributeType::Strings},
    {.name = "zeros", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(types::kIndex | types::kString | elems(DataType::Double, DataType::Float))},
};

constexpr Schema kOneHotEncoder[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator OneHotEncoder = {.domain = "ai.onnx.ml", .name = "OneHotEncoder", .history = kOneHotEncoder};

void one_hot_encoder_schemas(SchemaTable& table) { table.add(OneHotEncoder); }

}  // namespace norn::ops
