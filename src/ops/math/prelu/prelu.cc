// Leaky rectification with a learned slope. Before version 7 the slope is per channel (or one number); since then
// it broadcasts to X from the right, so a slope of shape [C] changes its meaning.
#include "ops/math/prelu/prelu.h"

#include <algorithm>

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace prelu_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs1[] = {{.name = "X", .type = "T"}, {.name = "slope", .type = "T"}};
constexpr Param kInputs9[] = {{.name = "X", .type = "T", .diff = kDiff}, {.name = "slope", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs9[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kWideInts | types::kFloat16To64)}};
constexpr TypeConstraint kTypes16[] = {{"T", tensors(types::kWideInts | types::kFloats)}};

constexpr Schema kPRelu[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .types = kTypes9, .same_meaning = true},
    {.since = 16, .inputs = kInputs9, .outputs = kOutputs9, .types = kTypes16, .same_meaning = true},
};

// The slope broadcasts to X, never X to the slope.
void infer_prelu(InferContext& ctx) {
  same_as_input(ctx);
  if (!ctx.has_rank(0) || !ctx.has_rank(1)) return;
  const bool by_channels = ctx.version() < 7;
  if (slope_fit(ctx.shape(0), ctx.shape(1), by_channels) == SlopeFit::DoesNotFit)
    ctx.fail("the slope " + ctx.input(1).to_string() +
             (by_channels ? " is neither one number nor one for each channel of X, " : " does not broadcast to X, ") +
             ctx.input(0).to_string());
}

}  // namespace
}  // namespace prelu_cc

SlopeFit slope_fit(const opset::Dims& x, const opset::Dims& slope, bool by_channels) {
  if (by_channels && is_one_number(slope)) return SlopeFit::Fits;
  const bool may_be_number = std::all_of(
      slope.begin(), slope.end(), [](const opset::DimExpr& d) { return !d.is_constant() || d == opset::DimExpr(1); });
  // A list is of dimension 1, or of the only one; behind it lie as many ones as X has dimensions.
  const std::size_t behind = by_channels && slope.size() == 1 && x.size() > 2 ? x.size() - 2 : 0;
  bool depends = by_channels && may_be_number;
  if (slope.size() + behind > x.size()) return depends ? SlopeFit::DependsOnSizes : SlopeFit::DoesNotFit;
  for (std::size_t d = 0; d < slope.size(); ++d) {
    const opset::DimExpr &of = slope[d], &to = x[x.size() - behind - slope.size() + d];
    if (of == opset::DimExpr(1) || of == to) continue;
    if (of.is_constant() && opset::DimExpr::differ(of, to)) return SlopeFit::DoesNotFit;
    depends = true;
  }
  return depends ? SlopeFit::DependsOnSizes : SlopeFit::Fits;
}

bool is_one_number(const opset::Dims& slope) {
  return std::all_of(slope.begin(), slope.end(), [](const opset::DimExpr& d) { return d == opset::DimExpr(1); });
}

constinit const Operator PRelu = {.name = "PRelu", .history = kPRelu, .infer = infer_prelu, .elementwise = true};

void prelu_schemas(SchemaTable& table) { table.add(PRelu); }

}  // namespace norn::ops
