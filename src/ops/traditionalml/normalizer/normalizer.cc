// Rows divided by their norm. MAX, L1 or L2. MAX is not of absolute values.
#include "ops/traditionalml/normalizer/normalizer.h"

#include <string>

#include "base/text.h"
#include "ops/common/scores.h"

namespace norn::ops {
inline namespace normalizer_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kAttrs[] = {{.name = "norm", .type = ir::AttributeType::String, .def = def_string("MAX")}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kNormalizer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_normalizer(InferContext& ctx) {
  resolve_normalizer(ctx);
  ctx.set(0, DataType::Float);
  if (!ctx.has_rank(0)) return;
  row_count(ctx);
  ctx.set(0, DataType::Float, ctx.shape(0));
}

}  // namespace
}  // namespace normalizer_cc

RowNorm resolve_normalizer(const NodeView& node) {
  const std::string norm = node.attrs().s("norm");
  if (norm != "MAX" && norm != "L1" && norm != "L2") node.fail("norm must be MAX, L1 or L2, not " + base::quoted(norm));
  return norm == "MAX" ? RowNorm::Max : norm == "L1" ? RowNorm::L1 : RowNorm::L2;
}

constinit const Operator Normalizer = {
    .domain = "ai.onnx.ml", .name = "Normalizer", .history = kNormalizer, .infer = infer_normalizer};

void normalizer_schemas(SchemaTable& table) { table.add(Normalizer); }

}  // namespace norn::ops
