// A map's values as a tensor of one row. Dense takes the values by ascending key; sparse puts each at its key, zeros
// between, up to max_map.
#include "ops/traditionalml/cast_map/cast_map.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "cast_to", .type = ir::AttributeType::String, .def = def_string("TO_FLOAT")},
    {.name = "map_form", .type = ir::AttributeType::String, .def = def_string("DENSE")},
    {.name = "max_map", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {
    {"T1", maps(kMapInt64Float | kMapInt64String)},
    {"T2", tensors(types::kString | elems(DataType::Float, DataType::Int64))},
};

constexpr Schema kCastMap[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator CastMap = {.domain = "ai.onnx.ml", .name = "CastMap", .history = kCastMap};

void cast_map_schemas(SchemaTable& table) { table.add(CastMap); }

}  // namespace norn::ops
