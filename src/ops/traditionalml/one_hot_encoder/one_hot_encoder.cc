// Categories as vectors with a one. An unknown category gives zeros, or is an error with zeros = 0.
#include "ops/traditionalml/one_hot_encoder/one_hot_encoder.h"

#include <string>
#include <utility>

#include "ops/common/scores.h"

namespace norn::ops {
inline namespace one_hot_encoder_cc {
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

void infer_one_hot_encoder(InferContext& ctx) {
  const Labels categories = resolve_one_hot_encoder(ctx, ctx.elem(0)).categories;
  ctx.set(0, DataType::Float);
  if (!ctx.has_rank(0)) return;
  Dims dims = ctx.shape(0);
  dims.push_back(categories.size());
  ctx.set(0, DataType::Float, std::move(dims));
}

}  // namespace
}  // namespace one_hot_encoder_cc

OneHotEncoderParams resolve_one_hot_encoder(const NodeView& node, DataType x) {
  OneHotEncoderParams p{resolve_labels(node, "cats_int64s", "cats_strings"), node.attrs().flag("zeros")};
  if (x != DataType::Undefined && (x == DataType::String) != p.categories.of_strings)
    node.fail(std::string("the categories are ") + (p.categories.of_strings ? "strings" : "integers") + ", but X is " +
              std::string(data_type_name(x)));
  return p;
}

constinit const Operator OneHotEncoder = {
    .domain = "ai.onnx.ml", .name = "OneHotEncoder", .history = kOneHotEncoder, .infer = infer_one_hot_encoder};

void one_hot_encoder_schemas(SchemaTable& table) { table.add(OneHotEncoder); }

}  // namespace norn::ops
