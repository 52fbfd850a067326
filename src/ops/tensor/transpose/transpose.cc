// Transpose: output dimension i is input dimension perm[i]; without perm the dimensions are reversed.
#include "ops/tensor/transpose/transpose.h"

#include <string>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

namespace {

template <std::uint32_t kElements>
constexpr TypeConstraint kT[] = {{"T", tensors(kElements)}};

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "data", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kOutputs1[] = {{.name = "transposed", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "transposed", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {{.name = "perm", .type = ir::AttributeType::Ints}};

constexpr Schema row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kInputs13,
          .outputs = kOutputs13,
          .attrs = kAttrs,
          .types = types,
          .same_meaning = true};
}
constexpr Schema kTranspose[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kT<types::kAll>},
    row(13, kT<types::kAllBf>),
    row(21, kT<types::kAllIr10>),
    row(23, kT<types::kAllIr11>),
    row(24, kT<types::kAllIr12>),
    row(25, kT<types::kAllIr13>),
};

void infer_transpose(InferContext& ctx) {
  const auto perm = ctx.attrs().find_ints("perm");
  const DataType elem = ctx.elem(0);
  if (!perm) {
    if (ctx.has_rank(0))
      ctx.set(0, elem, Dims(ctx.shape(0).rbegin(), ctx.shape(0).rend()));
    else
      ctx.set(0, elem);
  } else {
    const auto rank = static_cast<std::int64_t>(perm->size());
    std::vector<bool> seen(perm->size(), false);
    for (const std::int64_t p : *perm) {
      if (p < 0 || p >= rank || seen[static_cast<std::size_t>(p)]) {
        ctx.fail("perm is not a permutation of 0 to " + std::to_string(rank - 1));
      }
      seen[static_cast<std::size_t>(p)] = true;
    }
    ctx.require_rank(0, rank);
    Dims dims;
    for (const std::int64_t p : *perm) {
      dims.push_back(ctx.has_rank(0) ? ctx.shape(0)[static_cast<std::size_t>(p)] : ctx.fresh_dim());
    }
    ctx.set(0, elem, std::move(dims));
  }
  if (const Dims* ints = ctx.ints(0)) ctx.set_ints(0, *ints);
}

}  // namespace

constinit const Operator Transpose = {.name = "Transpose", .history = kTranspose, .infer = infer_transpose};

void transpose_schemas(SchemaTable& table) { table.add(Transpose); }

}  // namespace norn::ops
