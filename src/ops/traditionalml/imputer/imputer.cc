// A marked value replaced. One replacement, or one for each column. NaN may be the mark.
#include "ops/traditionalml/imputer/imputer.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "imputed_value_floats", .type = ir::AttributeType::Floats},
    {.name = "imputed_value_int64s", .type = ir::AttributeType::Ints},
    {.name = "replaced_value_float", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
    {.name = "replaced_value_int64", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kImputer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Imputer = {.domain = "ai.onnx.ml", .name = "Imputer", .history = kImputer};

void imputer_schemas(SchemaTable& table) { table.add(Imputer); }

}  // namespace norn::ops
