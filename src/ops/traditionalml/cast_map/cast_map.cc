// A map's values as a tensor of one row. Dense takes the values by ascending key; sparse puts each at its key, zeros
// between, up to max_map.
#include "ops/traditionalml/cast_map/cast_map.h"

#include <string>

#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace cast_map_cc {
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

void infer_cast_map(InferContext& ctx) {
  const CastMapParams p = resolve_cast_map(ctx);
  const DimExpr size = p.size ? DimExpr(*p.size) : ctx.fresh_dim("it is the number of the map's entries");
  ctx.set(0, p.type, {1, size});
}

}  // namespace
}  // namespace cast_map_cc

CastMapParams resolve_cast_map(const NodeView& node) {
  const std::string to = node.attrs().s("cast_to"), form = node.attrs().s("map_form");
  CastMapParams p;
  if (to == "TO_FLOAT")
    p.type = DataType::Float;
  else if (to == "TO_STRING")
    p.type = DataType::String;
  else if (to == "TO_INT64")
    p.type = DataType::Int64;
  else
    node.fail("cast_to must be TO_FLOAT, TO_STRING or TO_INT64, not " + base::quoted(to));
  if (form != "DENSE" && form != "SPARSE") node.fail("map_form must be DENSE or SPARSE, not " + base::quoted(form));
  if (form == "DENSE") return p;
  p.size = node.attrs().i("max_map");
  if (*p.size < 1) node.fail("max_map must be positive, not " + std::to_string(*p.size));
  return p;
}

constinit const Operator CastMap = {
    .domain = "ai.onnx.ml", .name = "CastMap", .history = kCastMap, .infer = infer_cast_map};

void cast_map_schemas(SchemaTable& table) { table.add(CastMap); }

}  // namespace norn::ops
