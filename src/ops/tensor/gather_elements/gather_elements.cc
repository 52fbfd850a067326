// GatherElements: one element of the data for each index, which replaces the position's coordinate along one axis.
//
// The output has the shape of the indices, not of the data; along the other axes the indices may be shorter than the
// data, never longer.
#include "ops/tensor/gather_elements/gather_elements.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace gather_elements_cc {
namespace {

constexpr Param kInputs11[] = {{.name = "data", .type = "T"}, {.name = "indices", .type = "Tind"}};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "indices", .type = "Tind", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kAll)}, {"Tind", tensors(types::kIndex)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema kGatherElements[] = {
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes11},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
};

void infer_gather_elements(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  elements_axis(ctx, ctx.known_shape(1));
  if (ctx.has_rank(1)) ctx.set(0, ctx.elem(0), ctx.shape(1));
}

}  // namespace
}  // namespace gather_elements_cc

std::optional<std::int64_t> elements_axis(const NodeView& node, const std::optional<Dims>& indices) {
  const auto data = node.known_shape(0);
  if (!data && !indices) return {};
  const std::size_t rank = (data ? data : indices)->size();
  if (indices && indices->size() != rank)
    node.fail("the indices have rank " + std::to_string(indices->size()) + ", the data " + std::to_string(rank));
  if (rank == 0) node.fail("the data is a scalar, which has no axis");
  const std::int64_t axis = node.axis(static_cast<std::int64_t>(rank));
  for (std::size_t d = 0; data && indices && d < rank; ++d) {
    const DimExpr &place = (*indices)[d], &size = (*data)[d];
    if (static_cast<std::int64_t>(d) != axis && place.is_constant() && size.is_constant() &&
        place.constant() > size.constant())
      node.fail("the indices have " + place.to_string() + " positions along axis " + std::to_string(d) +
                ", the data only " + size.to_string());
  }
  return axis;
}

constinit const Operator GatherElements = {
    .name = "GatherElements", .history = kGatherElements, .infer = infer_gather_elements, .moves = Movement::First};

void gather_elements_schemas(SchemaTable& table) { table.add(GatherElements); }

}  // namespace norn::ops
