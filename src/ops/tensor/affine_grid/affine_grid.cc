// A grid of sampling points from affine maps. The companion of GridSample; `size` is N, C and the spatial sizes, two or
// three.
#include "ops/tensor/affine_grid/affine_grid.h"

#include <optional>
#include <string>
#include <utility>

#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace affine_grid_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "theta", .type = "T1", .diff = kNonDiff},
    {.name = "size", .type = "T2", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "grid", .type = "T1", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {{.name = "align_corners", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(elems(DataType::Int64))}};

constexpr Schema kAffineGrid[] = {
    {.since = 20,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .determinism = Determinism::NonDeterministic},
};

}  // namespace
}  // namespace affine_grid_cc

std::optional<std::int64_t> grid_dimensions(std::int64_t rows, std::int64_t columns, std::int64_t sizes) {
  if (rows >= 0) return rows;
  if (columns >= 0) return columns - 1;
  if (sizes >= 0) return sizes - 2;
  return {};
}

inline namespace affine_grid_cc {
namespace {

void infer_affine_grid(InferContext& ctx) {
  ctx.require_rank(0, 3);
  ctx.require_rank(1, 1);
  const auto known = [](const std::optional<DimExpr>& size) {
    return size && size->is_constant() ? size->constant() : std::int64_t{-1};
  };
  const auto sizes = ctx.known_ints(1);
  std::optional<DimExpr> count = size_of(ctx, 1, 0);
  if (sizes) count = DimExpr(static_cast<std::int64_t>(sizes->size()));
  const auto n = grid_dimensions(known(size_of(ctx, 0, 1)), known(size_of(ctx, 0, 2)), known(count));
  std::optional<DimExpr> batch = size_of(ctx, 0, 0);
  if (!n) {
    if (const auto rows = size_of(ctx, 0, 1)) {
      agree(ctx, 0, 2, *rows + 1, "axis 1 of theta and one");
      if (count) ctx.unify(*rows + 2, *count, "the rows of theta and two, and the numbers of size,");
    }
    return ctx.set(0, ctx.elem(0));
  }
  if (*n != 2 && *n != 3)
    ctx.fail("theta and size have " + std::to_string(*n) + " spatial dimensions, but must have 2 or 3",
             "theta is [N, 2, 3] beside a size of 4 numbers, or [N, 3, 4] beside one of 5");
  agree(ctx, 0, 1, *n, "the spatial dimensions");
  agree(ctx, 0, 2, *n + 1, "the spatial dimensions and one");
  if (count) ctx.unify(*count, *n + 2, "the numbers of size, and the spatial dimensions and two,");
  Dims dims;
  if (sizes) {
    for (const DimExpr& size : *sizes)
      if (size.is_constant() && size.constant() < 0) ctx.fail("size has the negative number " + size.to_string());
    batch = agree(ctx, 0, 0, sizes->front(), "the first number of size");
    dims.push_back(*batch);
    dims.insert(dims.end(), sizes->begin() + 2, sizes->end());
  } else {
    dims.push_back(batch ? *batch : ctx.fresh_dim());
    for (std::int64_t d = 0; d < *n; ++d) dims.push_back(ctx.fresh_dim("the contents of size are not known"));
  }
  dims.emplace_back(*n);
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace affine_grid_cc

constinit const Operator AffineGrid = {.name = "AffineGrid", .history = kAffineGrid, .infer = infer_affine_grid};

void affine_grid_schemas(SchemaTable& table) { table.add(AffineGrid); }

}  // namespace norn::ops
