// Elements of the last axis by position. A vector counts as one row.
#include "ops/traditionalml/array_feature_extractor/array_feature_extractor.h"

#include <utility>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace array_feature_extractor_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}, {.name = "Y", .type = "tensor(int64)"}};
constexpr Param kOutputs[] = {{.name = "Z", .type = "T"}};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(types::kIndex | types::kString | elems(DataType::Double, DataType::Float))},
};

constexpr Schema kArrayFeatureExtractor[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .types = kTypes},
};

// However many dimensions the positions have, they are one list.
void infer_array_feature_extractor(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  if (!ctx.has_rank(0)) return;
  ctx.set(0, ctx.elem(0), picked_dims(ctx, ctx.shape(0), ctx.has_rank(1) ? product(ctx.shape(1)) : ctx.fresh_dim()));
}

}  // namespace
}  // namespace array_feature_extractor_cc

Dims picked_dims(const NodeView& node, Dims x, const DimExpr& picks) {
  if (x.empty()) node.fail("X is a scalar, which has no axis to pick along");
  if (x.size() == 1) x.insert(x.begin(), 1);
  x.back() = picks;
  return x;
}

constinit const Operator ArrayFeatureExtractor = {.domain = "ai.onnx.ml",
                                                  .name = "ArrayFeatureExtractor",
                                                  .history = kArrayFeatureExtractor,
                                                  .infer = infer_array_feature_extractor};

void array_feature_extractor_schemas(SchemaTable& table) { table.add(ArrayFeatureExtractor); }

}  // namespace norn::ops
