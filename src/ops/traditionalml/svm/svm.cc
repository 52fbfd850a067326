// Support vector machines. Kernel parameters are gamma, coef0, degree in one list. Probabilities come from pairs of
// classes where prob_a and prob_b are given.
#include "ops/traditionalml/svm/svm.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/checked.h"
#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace svm_cc {
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

void infer_svm_classifier(InferContext& ctx) {
  const SvmParams p = resolve_svm_classifier(ctx);
  ctx.set(0, p.labels.type());
  ctx.set(1, DataType::Float);
  if (!ctx.has_rank(0)) return;
  const DimExpr rows = row_count(ctx);
  ctx.unify(ctx.shape(0).back(), p.features, "the columns of X and those of the model");
  ctx.set(0, p.labels.type(), {rows});
  ctx.set(1, DataType::Float, {rows, p.columns()});
}

void infer_svm_regressor(InferContext& ctx) {
  const SvmParams p = resolve_svm_regressor(ctx);
  ctx.set(0, DataType::Float);
  if (!ctx.has_rank(0)) return;
  const DimExpr rows = row_count(ctx);
  ctx.unify(ctx.shape(0).back(), p.features, "the columns of X and those of the model");
  ctx.set(0, DataType::Float, {rows, 1});
}

SvmParams common_params(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  SvmParams p{.coefficients = attrs.floats("coefficients"),
              .vectors = attrs.find_floats("support_vectors").value_or(std::vector<float>{}),
              .rho = attrs.floats("rho"),
              .transform = resolve_post_transform(node)};
  const std::string kernel = attrs.s("kernel_type");
  constexpr std::string_view kKernels[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  const auto* at = std::find(std::begin(kKernels), std::end(kKernels), kernel);
  if (at == std::end(kKernels))
    node.fail("kernel_type must be LINEAR, POLY, RBF or SIGMOID, not " + base::quoted(kernel));
  p.kernel = static_cast<SvmKernel>(at - kKernels);
  const auto params = attrs.find_floats("kernel_params").value_or(std::vector<float>{});
  if (!params.empty() && params.size() != 3)
    node.fail("kernel_params must be gamma, coef0 and degree, not " + base::counted(params.size(), "number"));
  if (!params.empty()) p.gamma = params[0], p.coef0 = params[1], p.degree = params[2];
  return p;
}

// The features of a model whose values make up so many rows.
std::int64_t columns_of(const NodeView& node, const std::vector<float>& values, std::int64_t rows, const char* what) {
  const auto size = static_cast<std::int64_t>(values.size());
  if (size % rows != 0)
    node.fail(std::string(what) + " has " + std::to_string(size) + " elements, which do not divide into " +
              std::to_string(rows) + " rows");
  return size / rows;
}

void require_count(const NodeView& node, std::size_t size, std::int64_t wanted, const char* what) {
  if (static_cast<std::int64_t>(size) != wanted)
    node.fail(std::string(what) + " must have " + std::to_string(wanted) + " elements, not " + std::to_string(size));
}

}  // namespace
}  // namespace svm_cc

std::int64_t SvmParams::columns() const {
  if (!prob_a.empty() || per_class.empty()) return labels.size();
  const std::int64_t pairs = labels.size() * (labels.size() - 1) / 2;
  return pairs == 1 ? 2 : pairs;
}

SvmParams resolve_svm_classifier(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  SvmParams p = common_params(node);
  p.labels = resolve_labels(node, "classlabels_ints", "classlabels_strings");
  p.per_class = attrs.find_ints("vectors_per_class").value_or(std::vector<std::int64_t>{});
  p.prob_a = attrs.find_floats("prob_a").value_or(std::vector<float>{});
  p.prob_b = attrs.find_floats("prob_b").value_or(std::vector<float>{});
  const std::int64_t classes = p.labels.size();
  if (p.per_class.empty()) {
    // A linear model: a row of coefficients for each class, and one offset for all of them.
    p.features = columns_of(node, p.coefficients, classes, "coefficients");
    if (p.rho.empty() || std::adjacent_find(p.rho.begin(), p.rho.end(), std::not_equal_to<>()) != p.rho.end())
      node.fail("rho must be one number where there are no support vectors");
    p.prob_a.clear();
    return p;
  }
  require_count(node, p.per_class.size(), classes, "vectors_per_class");
  for (const std::int64_t n : p.per_class) {
    const auto sum = base::checked_add(p.count, n);
    if (n < 0 || !sum) node.fail("vectors_per_class has " + std::to_string(n));
    p.count = *sum;
  }
  if (p.count == 0 || classes < 2) node.fail("a model of support vectors needs vectors of at least two classes");
  p.features = columns_of(node, p.vectors, p.count, "support_vectors");
  if (p.coefficients.size() / static_cast<std::size_t>(p.count) != static_cast<std::size_t>(classes - 1) ||
      p.coefficients.size() % static_cast<std::size_t>(p.count) != 0)
    node.fail("there are " + std::to_string(p.coefficients.size()) + " coefficients for " + std::to_string(p.count) +
              " vectors of " + std::to_string(classes) + " classes");
  const std::int64_t pairs = classes * (classes - 1) / 2;
  require_count(node, p.rho.size(), pairs, "rho");
  if (!p.prob_a.empty() || !p.prob_b.empty()) {
    require_count(node, p.prob_a.size(), pairs, "prob_a");
    require_count(node, p.prob_b.size(), pairs, "prob_b");
  }
  return p;
}

SvmParams resolve_svm_regressor(const NodeView& node) {
  SvmParams p = common_params(node);
  p.count = node.attrs().i("n_supports");
  p.one_class = node.attrs().flag("one_class");
  if (p.count < 0) node.fail("n_supports must not be negative: " + std::to_string(p.count));
  require_count(node, p.rho.size(), 1, "rho");
  if (p.count == 0) {
    p.features = static_cast<std::int64_t>(p.coefficients.size());
  } else {
    require_count(node, p.coefficients.size(), p.count, "coefficients");
    p.features = columns_of(node, p.vectors, p.count, "support_vectors");
  }
  return p;
}

constinit const Operator SVMClassifier = {
    .domain = "ai.onnx.ml", .name = "SVMClassifier", .history = kSVMClassifier, .infer = infer_svm_classifier};
constinit const Operator SVMRegressor = {
    .domain = "ai.onnx.ml", .name = "SVMRegressor", .history = kSVMRegressor, .infer = infer_svm_regressor};

void svm_schemas(SchemaTable& table) {
  for (const Operator* op : {&SVMClassifier, &SVMRegressor}) table.add(*op);
}

}  // namespace norn::ops
