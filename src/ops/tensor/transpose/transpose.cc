// Transpose: output dimension i is input dimension perm[i]; without perm the dimensions are reversed.
#include "ops/tensor/transpose/transpose.h"

#include <numeric>
#include <string>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace transpose_cc {
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
  std::optional<std::int64_t> rank;
  if (ctx.has_rank(0)) rank = ctx.rank(0);
  const auto perm = resolve_transpose(ctx, rank);
  if (!perm) {
    ctx.set(0, ctx.elem(0));
  } else {
    Dims dims;
    for (const std::int64_t p : *perm) {
      dims.push_back(rank ? ctx.shape(0)[static_cast<std::size_t>(p)] : ctx.fresh_dim());
    }
    ctx.set(0, ctx.elem(0), std::move(dims));
  }
  if (const Dims* ints = ctx.ints(0)) ctx.set_ints(0, *ints);
}

}  // namespace
}  // namespace transpose_cc

std::optional<std::vector<std::int64_t>> resolve_transpose(const NodeView& node, std::optional<std::int64_t> rank) {
  auto perm = node.attrs().find_ints("perm");
  if (!perm) {
    if (!rank) return {};
    perm.emplace(static_cast<std::size_t>(*rank));
    std::iota(perm->rbegin(), perm->rend(), 0);
    return perm;
  }
  const auto size = static_cast<std::int64_t>(perm->size());
  if (rank && size != *rank) {
    node.fail("perm has " + std::to_string(size) + " entries, but the input has rank " + std::to_string(*rank));
  }
  std::vector<bool> seen(perm->size(), false);
  for (const std::int64_t p : *perm) {
    if (p < 0 || p >= size || seen[static_cast<std::size_t>(p)]) {
      node.fail("perm is not a permutation of 0 to " + std::to_string(size - 1));
    }
    seen[static_cast<std::size_t>(p)] = true;
  }
  return perm;
}

constinit const Operator Transpose = {
    .name = "Transpose", .history = kTranspose, .infer = infer_transpose, .moves = Movement::First};

void transpose_schemas(SchemaTable& table) { table.add(Transpose); }

}  // namespace norn::ops
