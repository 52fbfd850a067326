// Single elements written into a copy of a tensor. Scatter is the first name of ScatterElements. Duplicate positions
// have no order without a reduction: add and mul came with 16, max and min with 18.
#include "ops/tensor/scatter_elements/scatter_elements.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "ops/common/shapes.h"
#include "ops/tensor/scatter_elements/reduction.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace scatter_elements_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Param kInputs9[] = {
    {.name = "data", .type = "T"},
    {.name = "indices", .type = "Tind"},
    {.name = "updates", .type = "T"},
};
constexpr Param kInputs11[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "indices", .type = "Tind", .diff = Differentiability::NonDifferentiable},
    {.name = "updates", .type = "T", .diff = kDiff},
};
constexpr Param kOutputs9[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs9[] = {kAxis};
constexpr Attr kScatterElementsAttrs[] = {
    kAxis,
    {.name = "reduction", .type = ir::AttributeType::String, .def = def_string("none")},
};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kAll)}, {"Tind", tensors(types::kIndex)}};
constexpr TypeConstraint kScatterElementsTypes[] = {{"T", tensors(types::kAllBf)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema kScatter[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs9, .types = kTypes9},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs9, .types = kTypes9, .deprecated = true},
};

constexpr Schema kScatterElements[] = {
    {.since = 11, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs9, .types = kTypes9},
    {.since = 13,
     .inputs = kInputs11,
     .outputs = kOutputs11,
     .attrs = kAttrs9,
     .types = kScatterElementsTypes,
     .same_meaning = true},
    {.since = 16,
     .inputs = kInputs11,
     .outputs = kOutputs11,
     .attrs = kScatterElementsAttrs,
     .types = kScatterElementsTypes},
    {.since = 18,
     .inputs = kInputs11,
     .outputs = kOutputs11,
     .attrs = kScatterElementsAttrs,
     .types = kScatterElementsTypes},
};

void infer_scatter_elements(InferContext& ctx) {
  same_as_input(ctx);
  resolve_scatter_reduction(ctx);
  for (const int i : {0, 1, 2}) {
    if (!ctx.has_rank(i)) continue;
    if (ctx.rank(i) == 0) ctx.fail("a scalar has no axis to write along");
    for (const int j : {0, 1, 2}) ctx.require_rank(j, ctx.rank(i));
    ctx.axis(ctx.rank(i));
  }
  if (ctx.has_rank(1) && ctx.has_rank(2)) {
    for (std::size_t d = 0; d < ctx.shape(1).size(); ++d)
      ctx.unify(ctx.shape(1)[d], ctx.shape(2)[d], "sizes of indices and updates");
  }
  if (!ctx.has_rank(0)) return;
  const std::int64_t axis = ctx.axis(ctx.rank(0));
  for (const int i : {1, 2}) {
    for (std::size_t d = 0; ctx.has_rank(i) && d < ctx.shape(i).size(); ++d) {
      const DimExpr &size = ctx.shape(0)[d], &written = ctx.shape(i)[d];
      if (static_cast<std::int64_t>(d) != axis && size.is_constant() && written.is_constant() &&
          written.constant() > size.constant())
        ctx.fail("there are " + written.to_string() + " updates along axis " + std::to_string(d) +
                 ", the data has only " + size.to_string());
    }
  }
}

}  // namespace
}  // namespace scatter_elements_cc

ScatterReduction resolve_scatter_reduction(const NodeView& node) {
  if (!node.attrs().declares("reduction")) return ScatterReduction::None;
  const std::string name = node.attrs().s("reduction");
  const auto is = [&](std::string_view other) { return name == other; };
  const bool extremes = node.version() >= 18;
  if (!is("none") && !is("add") && !is("mul") && !(extremes && (is("max") || is("min"))))
    node.fail("reduction is " + base::quoted(name),
              extremes ? "it has to be none, add, mul, max or min" : "before version 18 it is none, add or mul");
  return is("add")   ? ScatterReduction::Add
         : is("mul") ? ScatterReduction::Mul
         : is("max") ? ScatterReduction::Max
         : is("min") ? ScatterReduction::Min
                     : ScatterReduction::None;
}

constinit const Operator Scatter = {.name = "Scatter", .history = kScatter, .infer = infer_scatter_elements};
constinit const Operator ScatterElements = {
    .name = "ScatterElements", .history = kScatterElements, .infer = infer_scatter_elements};

void scatter_elements_schemas(SchemaTable& table) {
  for (const Operator* op : {&Scatter, &ScatterElements}) table.add(*op);
}

}  // namespace norn::ops
