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
  if (ctx.has_rank(0)) {
    if (ctx.rank(0) == 0) ctx.fail("the data is a scalar; GatherElements needs an axis to pick along");
    ctx.require_rank(1, ctx.rank(0));
  }
  if (!ctx.has_rank(1)) return;
  const Dims& indices = ctx.shape(1);
  const std::int64_t axis = ctx.axis(ctx.rank(1));
  if (ctx.has_rank(0)) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const DimExpr &picked = indices[d], &size = ctx.shape(0)[d];
      if (static_cast<std::int64_t>(d) != axis && picked.is_constant() && size.is_constant() &&
          picked.constant() > size.constant())
        ctx.fail("the indices have " + picked.to_string() + " positions along axis " + std::to_string(d) +
                 ", the data only " + size.to_string());
    }
  }
  ctx.set(0, ctx.elem(0), indices);
}

}  // namespace
}  // namespace gather_elements_cc

constinit const Operator GatherElements = {
    .name = "GatherElements", .history = kGatherElements, .infer = infer_gather_elements};

void gather_elements_schemas(SchemaTable& table) { table.add(GatherElements); }

}  // namespace norn::ops
