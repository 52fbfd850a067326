// Support vector machines. Kernel parameters are gamma, coef0, degree in one list. Probabilities come from pairs of
// classes where prob_a and prob_b are given.
#include "ops/traditionalml/svm/svm.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Attr kCoefficients = {.name = "coefficients", .type = ir::AttributeType::Floats};
constexpr Attr kKernelParams = {.name = "kernel_params", .type = ir::AttributeType::Floats};
constexpr Attr kKernelType = {.name = "kernel_type", .type = ir::AttributeType::String, .def = def_string("LINEAR")};
constexpr Attr kPostTransform = {
    .name = "post_transform", .type = ir::AttributeType::String, .def = def_string("NONE")};
constexpr Attr kRho = {.name = "rho", .type = ir::AttributeType::Floats};
constexpr Attr kSupportVectors = {.name = "support_vectors", .type = ir::AttributeType::Floats};
constexpr TypeSet kSetT11 = tensors(types::kIndex | elems(DataType::Double, DataType::Float));
constexpr Param kSVMClassifierInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kSVMRegressorInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kSVMClassifierOutputs[] = {{.name = "Y", .type = "T2"}, {.name = "Z", .type = "tensor(float)"}};
constexpr Param kSVMRegressorOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kSVMClassifierAttrs[] = {
    {.name = "classlabels_ints", .type = ir::AttributeType::Ints},
    {.name = "classlabels_strings", .type = ir::AttributeType::Strings},
    kCoefficients,
    kKernelParams,
    kKernelType,
    kPostTransform,
    {.name = "prob_a", .type = ir::AttributeType::Floats},
    {.name = "prob_b", .type = ir::AttributeType::Floats},
    kRho,
    kSupportVectors,
    {.name = "vectors_per_class", .type = ir::AttributeType::Ints},
};
constexpr Attr kSVMRegressorAttrs[] = {
    kCoefficients,
    kKernelParams,
    kKernelType,
    {.name = "n_supports", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "one_class", .type = ir::AttributeType::Int, .def = def_int(0)},
    kPostTransform,
    kRho,
    kSupportVectors,
};
constexpr TypeConstraint kSVMClassifierTypes[] = {
    {"T1", kSetT11},
    {"T2", tensors(types::kString | elems(DataType::Int64))},
};
constexpr TypeConstraint kSVMRegressorTypes[] = {{"T", kSetT11}};

constexpr Schema kSVMClassifier[] = {
    {.since = 1,
     .inputs = kSVMClassifierInputs,
     .outputs = kSVMClassifierOutputs,
     .attrs = kSVMClassifierAttrs,
     .types = kSVMClassifierTypes},
};

constexpr Schema kSVMRegressor[] = {
    {.since = 1,
     .inputs = kSVMRegressorInputs,
     .outputs = kSVMRegressorOutputs,
     .attrs = kSVMRegressorAttrs,
     .types = kSVMRegressorTypes},
};

}  // namespace

constinit const Operator SVMClassifier = {.domain = "ai.onnx.ml", .name = "SVMClassifier", .history = kSVMClassifier};
constinit const Operator SVMRegressor = {.domain = "ai.onnx.ml", .name = "SVMRegressor", .history = kSVMRegressor};

void svm_schemas(SchemaTable& table) {
  for (const Operator* op : {&SVMClassifier, &SVMRegressor}) table.add(*op);
}

}  // namespace norn::ops
