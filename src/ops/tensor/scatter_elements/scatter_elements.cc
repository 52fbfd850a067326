// Single elements written into a copy of a tensor. Scatter is the first name of ScatterElements. Duplicate positions
// have no order without a reduction: add and mul came with 16, max and min with 18.
#include "ops/tensor/scatter_elements/scatter_elements.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "ops/common/shapes.h"
#include "ops/tensor/gather_elements/gather_elements.h"
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
  scatter_axis(ctx);
}

}  // namespace
}  // namespace scatter_elements_cc

std::optional<std::int64_t> scatter_axis(const NodeView& node) {
  const auto indices = node.known_shape(1), updates = node.known_shape(2);
  if (indices && updates) {
    node.require_rank(2, static_cast<std::int64_t>(indices->size()));
    for (std::size_t d = 0; d < indices->size(); ++d)
      node.unify((*indices)[d], (*updates)[d], "sizes of indices and updates");
  }
  return elements_axis(node, indices ? indices : updates);
}

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

constinit const Operator Scatter = {
    .name = "Scatter", .history = kScatter, .infer = infer_scatter_elements, .moves = Movement::Mixed};
constinit const Operator ScatterElements = {
    .name = "ScatterElements", .history = kScatterElements, .infer = infer_scatter_elements, .moves = Movement::Mixed};

void scatter_elements_schemas(SchemaTable& table) {
  for (const Operator* op : {&Scatter, &ScatterElements}) table.add(*op);
}

}  // namespace norn::ops
