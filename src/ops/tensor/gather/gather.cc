// Gather: whole slices of one axis, picked by index. With Shape before it, it is how models read one dimension.
//
// Trap: negative indices entered the text with version 11, but exporters wrote them for opset 9 and 10 already and
// every runtime counted them from the end; so does this one.
#include "ops/tensor/gather/gather.h"

#include <string>
#include <utility>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace gather_cc {
namespace {

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}, {.name = "indices", .type = "Tind"}};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "indices", .type = "Tind", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kAll)}, {"Tind", tensors(types::kIndex)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema kGather[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
};

void gather_contents(InferContext& ctx) {
  const Dims* ints = ctx.ints(0);
  const auto indices = ctx.const_ints(1);
  if (!ints || ctx.rank(0) != 1 || !indices || !ctx.has_rank(1) || ctx.rank(1) > 1) return;
  const auto size = static_cast<std::int64_t>(ints->size());
  Dims picked;
  for (const std::int64_t index : *indices) {
    const std::int64_t at = index < 0 ? index + size : index;
    if (at < 0 || at >= size) {
      ctx.fail("index " + std::to_string(index) + " is outside the " + std::to_string(size) + " elements of the data");
    }
    picked.push_back((*ints)[static_cast<std::size_t>(at)]);
  }
  ctx.set_ints(0, std::move(picked));
}

void infer_gather(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  if (!ctx.has_rank(0)) return;
  if (ctx.rank(0) == 0) ctx.fail("the data is a scalar; Gather needs an axis to pick along");
  const std::int64_t axis = ctx.axis(ctx.rank(0));
  if (!ctx.has_rank(1)) return;
  const Dims &data = ctx.shape(0), &indices = ctx.shape(1);
  Dims dims(data.begin(), data.begin() + axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), data.begin() + axis + 1, data.end());
  const DimExpr& size = data[static_cast<std::size_t>(axis)];
  if (const Dims* known = size.is_constant() ? ctx.ints(1) : nullptr)
    for (const DimExpr& index : *known)
      if (index.is_constant() && (index.constant() < -size.constant() || index.constant() >= size.constant()))
        ctx.fail("index " + index.to_string() + " is outside [" + std::to_string(-size.constant()) + ", " +
                 size.to_string() + ") of axis " + std::to_string(axis));
  ctx.set(0, ctx.elem(0), std::move(dims));
  gather_contents(ctx);
}

}  // namespace
}  // namespace gather_cc

constinit const Operator Gather = {
    .name = "Gather", .history = kGather, .infer = infer_gather, .moves = Movement::First};

void gather_schemas(SchemaTable& table) { table.add(Gather); }

}  // namespace norn::ops
