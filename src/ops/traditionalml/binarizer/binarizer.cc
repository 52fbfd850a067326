// One where an element is greater than a threshold, zero elsewhere. Equal is not greater.
#include "ops/traditionalml/binarizer/binarizer.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace binarizer_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {{.name = "threshold", .type = ir::AttributeType::Float, .def = def_float(0.0f)}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kBinarizer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace
}  // namespace binarizer_cc

constinit const Operator Binarizer = {
    .domain = "ai.onnx.ml", .name = "Binarizer", .history = kBinarizer, .infer = same_as_input};

void binarizer_schemas(SchemaTable& table) { table.add(Binarizer); }

}  // namespace norn::ops
