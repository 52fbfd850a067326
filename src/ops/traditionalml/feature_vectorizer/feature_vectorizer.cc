// Several inputs side by side as floats. Vectors count as one row; integers become floats.
#include "ops/traditionalml/feature_vectorizer/feature_vectorizer.h"

#include <optional>
#include <string>

#include "base/checked.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace feature_vectorizer_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T1", .option = ParamOption::Variadic}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kAttrs[] = {{.name = "inputdimensions", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kFeatureVectorizer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_feature_vectorizer(InferContext& ctx) {
  const std::vector<std::int64_t> sizes = resolve_feature_vectorizer(ctx, ctx.input_count());
  std::optional<DimExpr> rows;
  DimExpr columns;
  for (int i = 0; i < ctx.input_count(); ++i) {
    if (!sizes.empty()) columns = columns + sizes[static_cast<std::size_t>(i)];
    if (!ctx.has_rank(i)) {
      if (sizes.empty()) columns = columns + ctx.fresh_dim();
      continue;
    }
    const Dims& dims = ctx.shape(i);
    if (dims.size() != 1 && dims.size() != 2)
      ctx.fail("inputs must be matrices or vectors, not " + ctx.input(i).to_string());
    if (sizes.empty()) columns = columns + dims.back();
    const DimExpr own = dims.size() == 1 ? DimExpr(1) : dims[0];
    rows = rows ? ctx.unify(*rows, own, "the rows of the inputs") : own;
  }
  ctx.set(0, DataType::Float, {rows ? *rows : ctx.fresh_dim(), columns});
}

}  // namespace
}  // namespace feature_vectorizer_cc

std::vector<std::int64_t> resolve_feature_vectorizer(const NodeView& node, int inputs) {
  auto sizes = node.attrs().find_ints("inputdimensions").value_or(std::vector<std::int64_t>{});
  if (!sizes.empty() && static_cast<int>(sizes.size()) != inputs)
    node.fail("inputdimensions has " + std::to_string(sizes.size()) + " sizes for " + std::to_string(inputs) +
              " inputs");
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    const auto next = base::checked_add(sum, size);
    if (size < 0 || !next) node.fail("inputdimensions has the size " + std::to_string(size));
    sum = *next;
  }
  return sizes;
}

constinit const Operator FeatureVectorizer = {.domain = "ai.onnx.ml",
                                              .name = "FeatureVectorizer",
                                              .history = kFeatureVectorizer,
                                              .infer = infer_feature_vectorizer};

void feature_vectorizer_schemas(SchemaTable& table) { table.add(FeatureVectorizer); }

}  // namespace norn::ops
