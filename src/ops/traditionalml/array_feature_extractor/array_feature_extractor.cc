// Elements of the last axis by position. A vector counts as one row.
#include "ops/traditionalml/array_feature_extractor/array_feature_extractor.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator ArrayFeatureExtractor = {
    .domain = "ai.onnx.ml", .name = "ArrayFeatureExtractor", .history = kArrayFeatureExtractor};

void array_feature_extractor_schemas(SchemaTable& table) { table.add(ArrayFeatureExtractor); }

}  // namespace norn::ops
