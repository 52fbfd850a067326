// Strings to numbers or numbers to strings, by a table. The two lists are one table of pairs; the default differs by
// direction.
#include "ops/traditionalml/category_mapper/category_mapper.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace category_mapper_cc {
namespace {

using namespace opset;

constexpr TypeSet kSetT11 = tensors(types::kString | elems(DataType::Int64));
constexpr Param kInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "cats_int64s", .type = ir::AttributeType::Ints},
    {.name = "cats_strings", .type = ir::AttributeType::Strings},
    {.name = "default_int64", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "default_string", .type = ir::AttributeType::String, .def = def_string("_Unused")},
};
constexpr TypeConstraint kTypes[] = {{"T1", kSetT11}, {"T2", kSetT11}};

constexpr Schema kCategoryMapper[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_category_mapper(InferContext& ctx) {
  resolve_category_mapper(ctx);
  const DataType from = ctx.elem(0);
  if (from == DataType::Undefined) return;
  const DataType to = from == DataType::String ? DataType::Int64 : DataType::String;
  if (ctx.has_rank(0))
    ctx.set(0, to, ctx.shape(0));
  else
    ctx.set(0, to);
}

}  // namespace
}  // namespace category_mapper_cc

CategoryMapperParams resolve_category_mapper(const NodeView& node) {
  const CategoryMapperParams p{node.attrs().ints("cats_int64s"), node.attrs().strings("cats_strings")};
  if (p.ints.size() != p.strings.size())
    node.fail("cats_int64s has " + std::to_string(p.ints.size()) + " elements, but cats_strings " +
              std::to_string(p.strings.size()));
  return p;
}

constinit const Operator CategoryMapper = {
    .domain = "ai.onnx.ml", .name = "CategoryMapper", .history = kCategoryMapper, .infer = infer_category_mapper};

void category_mapper_schemas(SchemaTable& table) { table.add(CategoryMapper); }

}  // namespace norn::ops
