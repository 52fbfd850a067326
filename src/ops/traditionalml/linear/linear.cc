// Linear models. Coefficients are a matrix of classes or targets by features. A binary classifier may give one score,
// from which the other follows by post_transform.
#include "ops/traditionalml/linear/linear.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Attr kIntercepts = {.name = "intercepts", .type = ir::AttributeType::Floats};
constexpr Attr kPostTransform = {
    .name = "post_transform", .type = ir::AttributeType::String, .def = def_string("NONE")};
constexpr TypeSet kSetT11 = tensors(types::kIndex | elems(DataType::Double, DataType::Float));
constexpr Param kLinearClassifierInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kLinearRegressorInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kLinearClassifierOutputs[] = {{.name = "Y", .type = "T2"}, {.name = "Z", .type = "tensor(float)"}};
constexpr Param kLinearRegressorOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kLinearClassifierAttrs[] = {
    {.name = "classlabels_ints", .type = ir::AttributeType::Ints},
    {.name = "classlabels_strings", .type = ir::AttributeType::Strings},
    {.name = "coefficients", .type = ir::AttributeType::Floats, .required = true},
    kIntercepts,
    {.name = "multi_class", .type = ir::AttributeType::Int, .def = def_int(0)},
    kPostTransform,
};
constexpr Attr kLinearRegressorAttrs[] = {
    {.name = "coefficients", .type = ir::AttributeType::Floats},
    kIntercepts,
    kPostTransform,
    {.name = "targets", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kLinearClassifierTypes[] = {
    {"T1", kSetT11},
    {"T2", tensors(types::kString | elems(DataType::Int64))},
};
constexpr TypeConstraint kLinearRegressorTypes[] = {{"T", kSetT11}};

constexpr Schema kLinearClassifier[] = {
    {.since = 1,
     .inputs = kLinearClassifierInputs,
     .outputs = kLinearClassifierOutputs,
     .attrs = kLinearClassifierAttrs,
     .types = kLinearClassifierTypes},
};

constexpr Schema kLinearRegressor[] = {
    {.since = 1,
     .inputs = kLinearRegressorInputs,
     .outputs = kLinearRegressorOutputs,
     .attrs = kLinearRegressorAttrs,
     .types = kLinearRegressorTypes},
};

}  // namespace

constinit const Operator LinearClassifier = {
    .domain = "ai.onnx.ml", .name = "LinearClassifier", .history = kLinearClassifier};
constinit const Operator LinearRegressor = {
    .domain = "ai.onnx.ml", .name = "LinearRegressor", .history = kLinearRegressor};

void linear_schemas(SchemaTable& table) {
  for (const Operator* op : {&LinearClassifier, &LinearRegressor}) table.add(*op);
}

}  // namespace norn::ops
