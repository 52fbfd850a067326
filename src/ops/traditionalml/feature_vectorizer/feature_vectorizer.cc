// Several inputs side by side as floats. Vectors count as one row; integers become floats.
#include "ops/traditionalml/feature_vectorizer/feature_vectorizer.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T1", .option = ParamOption::Variadic}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kAttrs[] = {{.name = "inputdimensions", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kFeatureVectorizer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator FeatureVectorizer = {
    .domain = "ai.onnx.ml", .name = "FeatureVectorizer", .history = kFeatureVectorizer};

void feature_vectorizer_schemas(SchemaTable& table) { table.add(FeatureVectorizer); }

}  // namespace norn::ops
