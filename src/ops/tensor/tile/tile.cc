// A tensor repeated along its axes. Version 1 repeats along one axis, which is an input; from 6 on there is a count for
// each axis.
#include "ops/tensor/tile/tile.h"

#include <algorithm>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace tile_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs1[] = {
    {.name = "input", .type = "T"},
    {.name = "tiles", .type = "T"},
    {.name = "axis", .type = "T"},
};
constexpr Param kInputs6[] = {{.name = "input", .type = "T"}, {.name = "repeats", .type = "T1"}};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "repeats", .type = "T1", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}, {"T1", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes6[] = {{"T", tensors(types::kAll)}, {"T1", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}, {"T1", tensors(elems(DataType::Int64))}};

constexpr Schema kTile[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs6, .outputs = kOutputs1, .types = kTypes6},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

// Longer vectors are not shape arithmetic.
constexpr std::int64_t kMostTiledInts = 1024;

// The contents of a tiled vector, or of a scalar.
void tile_contents(InferContext& ctx, const Dims& repeats) {
  const Dims* ints = ctx.ints(0);
  if (!ints || ctx.rank(0) > 1) return;
  if (ctx.rank(0) == 0) return ctx.set_ints(0, *ints);
  if (!repeats[0].is_constant() || repeats[0].constant() > kMostTiledInts) return;
  Dims tiled;
  for (std::int64_t k = 0; k < repeats[0].constant() && tiled.size() <= kMostTiledInts; ++k)
    tiled.insert(tiled.end(), ints->begin(), ints->end());
  ctx.set_ints(0, std::move(tiled));
}

void infer_tile(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  if (ctx.version() >= 6) ctx.require_rank(1, 1);
  std::optional<std::int64_t> rank;
  if (ctx.has_rank(0))
    rank = ctx.rank(0);
  else if (ctx.version() >= 6 && ctx.has_rank(1) && ctx.shape(1)[0].is_constant() &&
           ctx.shape(1)[0].constant() <= kMostDims)
    rank = ctx.shape(1)[0].constant();
  const auto repeats = resolve_tile(ctx, rank, ctx.constant(1), ctx.constant(2));
  if (!rank) return;
  if (ctx.version() >= 6 && ctx.has_rank(1) && DimExpr::differ(ctx.shape(1)[0], *rank))
    ctx.fail("there are " + ctx.shape(1)[0].to_string() + " repeats for an input of rank " + std::to_string(*rank));
  Dims dims;
  for (std::int64_t d = 0; d < *rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (repeats && ctx.has_rank(0))
      dims.push_back(ctx.shape(0)[i] * (*repeats)[i]);
    else
      dims.push_back(ctx.fresh_dim(repeats ? "the rank alone of the input is known" : "how often is not known"));
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
  if (repeats && ctx.has_rank(0)) tile_contents(ctx, *repeats);
}

}  // namespace
}  // namespace tile_cc

std::optional<Dims> resolve_tile(const NodeView& node, std::optional<std::int64_t> rank, const Tensor* first,
                                 const Tensor* second) {
  std::optional<Dims> repeats;
  if (node.version() >= 6) {
    repeats = node.known_ints(1);
    if (repeats && rank && static_cast<std::int64_t>(repeats->size()) != *rank)
      node.fail("there are " + std::to_string(repeats->size()) + " repeats for an input of rank " +
                std::to_string(*rank));
  } else if (first && second) {
    const auto tiles = whole_numbers(node, *first, "tiles"), axis = whole_numbers(node, *second, "axis");
    if (tiles.size() != 1 || axis.size() != 1) node.fail("tiles and axis must be one number each");
    if (axis[0] < 0) node.fail("axis is " + std::to_string(axis[0]) + ", and must not be negative");
    if (tiles[0] < 0) node.fail("tiles is " + std::to_string(tiles[0]) + ", and must not be negative");
    if (!rank) return {};
    repeats.emplace(static_cast<std::size_t>(*rank), DimExpr(1));
    (*repeats)[static_cast<std::size_t>(node.normalize_axis(axis[0], *rank))] = tiles[0];
  }
  const auto negative = [](const DimExpr& r) { return r.is_constant() && r.constant() < 0; };
  if (repeats && std::any_of(repeats->begin(), repeats->end(), negative))
    node.fail("repeats has a negative number: " + to_string(*repeats));
  return repeats;
}

constinit const Operator Tile = {.name = "Tile", .history = kTile, .infer = infer_tile, .moves = Movement::First};

void tile_schemas(SchemaTable& table) { table.add(Tile); }

}  // namespace norn::ops
