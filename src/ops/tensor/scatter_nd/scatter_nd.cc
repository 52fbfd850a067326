// Slices written into a copy of a tensor. An index is a row of the last axis of `indices`. The reductions add and mul
// came with 16, max and min with 18.
#include "ops/tensor/scatter_nd/scatter_nd.h"

#include <string>

#include "ops/common/shapes.h"
#include "ops/tensor/scatter_elements/reduction.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace scatter_nd_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs11[] = {
    {.name = "data", .type = "T"},
    {.name = "indices", .type = "tensor(int64)"},
    {.name = "updates", .type = "T"},
};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "indices", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable},
    {.name = "updates", .type = "T", .diff = kDiff},
};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "reduction", .type = ir::AttributeType::String, .def = def_string("none")}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kScatterND[] = {
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .types = kTypes11},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
    {.since = 16, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13},
    {.since = 18, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13},
};

void infer_scatter_nd(InferContext& ctx) {
  same_as_input(ctx);
  resolve_scatter_reduction(ctx);
  check_scatter_nd(ctx);
}

}  // namespace
}  // namespace scatter_nd_cc

void check_scatter_nd(const NodeView& node) {
  const auto data = node.known_shape(0), indices = node.known_shape(1), updates = node.known_shape(2);
  if (data && data->empty()) node.fail("the data is a scalar, which has no axis to write along");
  if (!indices) return;
  if (indices->empty()) node.fail("indices are a scalar; their last axis has to hold the coordinates");
  const std::size_t tuples = indices->size() - 1;
  if (updates) {
    if (updates->size() < tuples)
      node.fail("the updates " + to_string(*updates) + " have fewer axes than there are of the indices " +
                to_string(*indices));
    for (std::size_t d = 0; d < tuples; ++d) node.unify((*indices)[d], (*updates)[d], "sizes of indices and updates");
  }
  if (!data || !indices->back().is_constant()) return;
  const auto coordinates = static_cast<std::size_t>(indices->back().constant());
  if (coordinates > data->size())
    node.fail("there are " + std::to_string(coordinates) + " coordinates for " + std::to_string(data->size()) +
              " axes of the data");
  const std::size_t slice = data->size() - coordinates;
  node.require_rank(2, static_cast<std::int64_t>(tuples + slice));
  for (std::size_t d = 0; updates && d < slice; ++d)
    node.unify((*data)[coordinates + d], (*updates)[tuples + d], "sizes of the data and of updates");
}

constinit const Operator ScatterND = {
    .name = "ScatterND", .history = kScatterND, .infer = infer_scatter_nd, .moves = Movement::Mixed};

void scatter_nd_schemas(SchemaTable& table) { table.add(ScatterND); }

}  // namespace norn::ops
