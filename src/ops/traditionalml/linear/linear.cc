// Linear models. Coefficients are a matrix of classes or targets by features. A binary classifier may give one score,
// from which the other follows by post_transform.
#include "ops/traditionalml/linear/linear.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace linear_cc {
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

void infer_linear_classifier(InferContext& ctx) {
  const LinearParams p = resolve_linear_classifier(ctx);
  ctx.set(0, p.labels.type());
  ctx.set(1, DataType::Float);
  if (!ctx.has_rank(0)) return;
  const DimExpr rows = row_count(ctx);
  ctx.unify(ctx.shape(0).back(), p.features, "the columns of X and the coefficients");
  ctx.set(0, p.labels.type(), {rows});
  ctx.set(1, DataType::Float, {rows, p.labels.size()});
}

void infer_linear_regressor(InferContext& ctx) {
  const LinearParams p = resolve_linear_regressor(ctx);
  ctx.set(0, DataType::Float);
  if (!ctx.has_rank(0)) return;
  const DimExpr rows = row_count(ctx);
  ctx.unify(ctx.shape(0).back(), p.features, "the columns of X and the coefficients");
  ctx.set(0, DataType::Float, {rows, p.scores});
}

// Of so many rows of coefficients.
void set_coefficients(const NodeView& node, LinearParams& p) {
  const auto size = static_cast<std::int64_t>(p.coefficients.size());
  if (size % p.scores != 0)
    node.fail("there are " + std::to_string(size) + " coefficients, which do not divide into " +
              std::to_string(p.scores) + " rows");
  p.features = size / p.scores;
  if (!p.intercepts.empty() && static_cast<std::int64_t>(p.intercepts.size()) != p.scores)
    node.fail("there are " + std::to_string(p.intercepts.size()) + " intercepts for " + std::to_string(p.scores) +
              " rows of coefficients");
}

}  // namespace
}  // namespace linear_cc

// Two classes have one score between them if there is one intercept.
LinearParams resolve_linear_classifier(const NodeView& node) {
  LinearParams p{.coefficients = node.attrs().floats("coefficients"),
                 .intercepts = node.attrs().find_floats("intercepts").value_or(std::vector<float>{}),
                 .labels = resolve_labels(node, "classlabels_ints", "classlabels_strings"),
                 .transform = resolve_post_transform(node)};
  p.scores = p.labels.size();
  if (p.scores == 2 && p.intercepts.size() == 1) p.scores = 1;
  set_coefficients(node, p);
  return p;
}

LinearParams resolve_linear_regressor(const NodeView& node) {
  LinearParams p{.coefficients = node.attrs().floats("coefficients"),
                 .intercepts = node.attrs().find_floats("intercepts").value_or(std::vector<float>{}),
                 .labels = {},
                 .transform = resolve_post_transform(node)};
  p.scores = node.attrs().i("targets");
  if (p.scores < 1) node.fail("targets must be positive, not " + std::to_string(p.scores));
  set_coefficients(node, p);
  return p;
}

constinit const Operator LinearClassifier = {
    .domain = "ai.onnx.ml", .name = "LinearClassifier", .history = kLinearClassifier, .infer = infer_linear_classifier};
constinit const Operator LinearRegressor = {
    .domain = "ai.onnx.ml", .name = "LinearRegressor", .history = kLinearRegressor, .infer = infer_linear_regressor};

void linear_schemas(SchemaTable& table) {
  for (const Operator* op : {&LinearClassifier, &LinearRegressor}) table.add(*op);
}

}  // namespace norn::ops
