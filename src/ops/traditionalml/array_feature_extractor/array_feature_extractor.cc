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
  Dims dims = ctx.shape(0);
  if (dims.empty()) ctx.fail("X is a scalar, which has no axis to pick along");
  if (dims.size() == 1) dims.insert(dims.begin(), 1);
  dims.back() = ctx.has_rank(1) ? product(ctx.shape(1)) : ctx.fresh_dim();
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace array_feature_extractor_cc

constinit const Operator ArrayFeatureExtractor = {.domain = "ai.onnx.ml",
                                                  .name = "ArrayFeatureExtractor",
                                                  .history = kArrayFeatureExtractor,
                                                  .infer = infer_array_feature_extractor};

void array_feature_extractor_schemas(SchemaTable& table) { table.add(ArrayFeatureExtractor); }

}  // namespace norn::ops
