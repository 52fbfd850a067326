// Leaky rectification with a learned slope. Before version 7 the slope goes by channels (or is one number); since then
// it broadcasts to X from the right, so a slope of shape [C] changes its meaning.
#include "ops/math/prelu/prelu.h"

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
  if (ctx.version() < 7 || !ctx.has_rank(0) || !ctx.has_rank(1)) return;
  const Dims &x = ctx.shape(0), &slope = ctx.shape(1);
  bool fits = slope.size() <= x.size();
  for (std::size_t d = 0; fits && d < slope.size(); ++d) {
    const DimExpr &of = slope[d], &to = x[x.size() - slope.size() + d];
    fits = !of.is_constant() || of.constant() == 1 || !DimExpr::differ(of, to);
  }
  if (!fits)
    ctx.fail("the slope " + ctx.input(1).to_string() + " does not broadcast to X, " + ctx.input(0).to_string());
}

}  // namespace
}  // namespace prelu_cc

constinit const Operator PRelu = {.name = "PRelu", .history = kPRelu, .infer = infer_prelu, .elementwise = true};

void prelu_schemas(SchemaTable& table) { table.add(PRelu); }

}  // namespace norn::ops
