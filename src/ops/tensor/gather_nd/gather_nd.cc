// Slices picked by rows of indices. The last axis of `indices` is one index. batch_dims, the leading axes that both
// share, came with 12.
#include "ops/tensor/gather_nd/gather_nd.h"

#include <algorithm>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace gather_nd_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs11[] = {{.name = "data", .type = "T"}, {.name = "indices", .type = "tensor(int64)"}};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "indices", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "batch_dims", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kGatherND[] = {
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .types = kTypes11},
    {.since = 12, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes11},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
};

// What rows of one index each pick from a vector of known integers.
void gather_nd_contents(InferContext& ctx) {
  const Dims* ints = ctx.ints(0);
  const Tensor* indices = ctx.constant(1);
  if (!ints || ctx.rank(0) != 1 || !indices || indices->rank() > 2) return;
  const auto size = static_cast<std::int64_t>(ints->size());
  Dims picked;
  for (std::int64_t k = 0; k < indices->size(); ++k) {
    const std::int64_t index = indices->as<std::int64_t>()[k], at = index < 0 ? index + size : index;
    if (at < 0 || at >= size)
      ctx.fail("index " + std::to_string(index) + " is outside the " + std::to_string(size) + " elements of the data");
    picked.push_back((*ints)[static_cast<std::size_t>(at)]);
  }
  ctx.set_ints(0, std::move(picked));
}

void infer_gather_nd(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  const GatherNdParams p = resolve_gather_nd(ctx);
  if (!ctx.has_rank(0) || !ctx.has_rank(1)) return;
  if (!p.length) return ctx.explain("how many axes an index has is not known");
  const Dims &data = ctx.shape(0), &indices = ctx.shape(1);
  const auto b = static_cast<std::ptrdiff_t>(p.batches.size());
  Dims dims = p.batches;
  dims.insert(dims.end(), indices.begin() + b, indices.end() - 1);
  dims.insert(dims.end(), data.begin() + b + *p.length, data.end());
  ctx.set(0, ctx.elem(0), std::move(dims));
  gather_nd_contents(ctx);
}

}  // namespace
}  // namespace gather_nd_cc

GatherNdParams resolve_gather_nd(const NodeView& node) {
  const auto data = node.known_shape(0), indices = node.known_shape(1);
  if (data && data->empty()) node.fail("the data is a scalar; GatherND needs an axis to pick along");
  if (indices && indices->empty())
    node.fail("the indices are a scalar; GatherND takes the last axis of the indices for one index");
  const std::int64_t b = node.version() < 12 ? 0 : node.attrs().i("batch_dims");
  for (const auto& dims : {data, indices}) {
    if (b < 0 || (dims && b >= static_cast<std::int64_t>(dims->size())))
      node.fail("batch_dims is " + std::to_string(b) +
                ", but has to be 0 or more, and less than the ranks of both inputs");
  }
  GatherNdParams p;
  if (!data || !indices) return p;
  for (std::size_t d = 0; d < static_cast<std::size_t>(b); ++d) {
    p.batches.push_back(
        node.unify((*indices)[d], (*data)[d], "batch dimension " + std::to_string(d) + " of data and indices"));
  }
  if (!indices->back().is_constant()) return p;
  p.length = indices->back().constant();
  if (const auto axes = static_cast<std::int64_t>(data->size()) - b; *p.length < 1 || *p.length > axes)
    node.fail("an index, the last axis of indices, is of length " + std::to_string(*p.length) +
              ", but has to be of 1 to " + std::to_string(axes));
  return p;
}

constinit const Operator GatherND = {
    .name = "GatherND", .history = kGatherND, .infer = infer_gather_nd, .moves = Movement::First};

void gather_nd_schemas(SchemaTable& table) { table.add(GatherND); }

}  // namespace norn::ops
