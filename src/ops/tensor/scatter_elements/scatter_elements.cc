// Single elements written into a copy of a tensor. Scatter is the first name of ScatterElements. Duplicate positions
// have no order without a reduction: add and mul came with 16, max and min with 18.
#include "ops/tensor/scatter_elements/scatter_elements.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator Scatter = {.name = "Scatter", .history = kScatter};
constinit const Operator ScatterElements = {.name = "ScatterElements", .history = kScatterElements};

void scatter_elements_schemas(SchemaTable& table) {
  for (const Operator* op : {&Scatter, &ScatterElements}) table.add(*op);
}

}  // namespace norn::ops
