// A marked value replaced. One replacement, or one for each column. NaN may be the mark.
#include "ops/traditionalml/imputer/imputer.h"

#include <optional>
#include <string>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace imputer_cc {
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

void infer_imputer(InferContext& ctx) {
  same_as_input(ctx);
  if (ctx.elem(0) == DataType::Undefined) return;
  std::optional<std::int64_t> features;
  if (ctx.has_rank(0)) {
    const Dims& dims = ctx.shape(0);
    if (dims.empty() || dims.back().is_constant()) features = dims.empty() ? 1 : dims.back().constant();
  }
  resolve_imputer(ctx, ctx.elem(0), features);
}

}  // namespace
}  // namespace imputer_cc

ImputerParams resolve_imputer(const NodeView& node, DataType type, std::optional<std::int64_t> features) {
  const Attrs& attrs = node.attrs();
  ImputerParams p{.floats = attrs.find_floats("imputed_value_floats").value_or(std::vector<float>{}),
                  .ints = attrs.find_ints("imputed_value_int64s").value_or(std::vector<std::int64_t>{}),
                  .replaced_float = attrs.f("replaced_value_float"),
                  .replaced_int = attrs.i("replaced_value_int64")};
  const bool real = type == DataType::Float || type == DataType::Double;
  const std::size_t size = real ? p.floats.size() : p.ints.size();
  if (size == 0 || !(real ? p.ints.empty() : p.floats.empty()))
    node.fail(std::string("X of type ") + std::string(data_type_name(type)) + " needs the attribute " +
              (real ? "imputed_value_floats" : "imputed_value_int64s") + " and no other");
  if (size != 1 && features && static_cast<std::int64_t>(size) != *features)
    node.fail("there are " + std::to_string(size) + " imputed values for " + std::to_string(*features) + " features");
  for (const std::int64_t value : p.ints)
    if (type == DataType::Int32 && value != static_cast<std::int32_t>(value))
      node.fail("imputed_value_int64s has " + std::to_string(value) + ", which an int32 cannot hold");
  return p;
}

constinit const Operator Imputer = {
    .domain = "ai.onnx.ml", .name = "Imputer", .history = kImputer, .infer = infer_imputer};

void imputer_schemas(SchemaTable& table) { table.add(Imputer); }

}  // namespace norn::ops
