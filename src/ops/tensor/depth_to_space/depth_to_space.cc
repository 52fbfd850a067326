// Blocks of channels as blocks of the plane, and back. Mode CRD, which came with 11, takes the channel as the outermost
// index; DCR, the only one before, as the innermost.
#include "ops/tensor/depth_to_space/depth_to_space.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace depth_to_space_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kBlocksize = {.name = "blocksize", .type = ir::AttributeType::Int, .required = true};
constexpr Param kInputs1[] = {{.name = "input", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs1[] = {kBlocksize};
constexpr Attr kAttrs11[] = {kBlocksize, {.name = "mode", .type = ir::AttributeType::String, .def = def_string("DCR")}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kDepthToSpace[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs11, .types = kTypes1},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs11,
     .types = kTypes13,
     .same_meaning = true},
    {.since = 28,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs11,
     .types = kTypes13,
     .determinism = Determinism::Unknown,
     .same_meaning = true},
};

constexpr Schema kSpaceToDepth[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs1,
     .types = kTypes13,
     .same_meaning = true},
    {.since = 28,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs11,
     .types = kTypes13,
     .determinism = Determinism::Unknown},
};

// The size of an axis divided by `by`, which has to divide it.
DimExpr part_of(InferContext& ctx, int axis, std::int64_t by, const char* what) {
  const DimExpr size = ctx.shape(0)[static_cast<std::size_t>(axis)];
  if (size.is_constant() && size.constant() % by != 0)
    ctx.fail("input has " + size.to_string() + " " + what + ", which blocks of " + std::to_string(by) +
             " do not divide");
  return DimExpr::floor_div(size, by);
}

void infer_depth_to_space(InferContext& ctx) {
  const std::int64_t block = resolve_blocks(ctx).size;
  ctx.require_rank(0, 4);
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.input(0));
  const Dims& x = ctx.shape(0);
  ctx.set(0, ctx.elem(0), {x[0], part_of(ctx, 1, block * block, "channels"), x[2] * block, x[3] * block});
}

void infer_space_to_depth(InferContext& ctx) {
  const std::int64_t block = resolve_blocks(ctx).size;
  ctx.require_rank(0, 4);
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.input(0));
  const Dims& x = ctx.shape(0);
  ctx.set(0, ctx.elem(0),
          {x[0], x[1] * (block * block), part_of(ctx, 2, block, "rows"), part_of(ctx, 3, block, "columns")});
}

}  // namespace
}  // namespace depth_to_space_cc

BlockParams resolve_blocks(const NodeView& node) {
  const std::int64_t size = node.attrs().i("blocksize");
  if (size <= 0) node.fail("blocksize is " + std::to_string(size) + ", but has to be positive");
  if (size > 3037000499) node.fail("blocksize is " + std::to_string(size) + ", whose square does not fit into 64 bits");
  const std::string mode = node.attrs().declares("mode") ? node.attrs().s("mode") : "DCR";
  if (mode != "DCR" && mode != "CRD") node.fail("mode is \"" + mode + "\", but has to be DCR or CRD");
  return {size, mode == "CRD"};
}

constinit const Operator DepthToSpace = {
    .name = "DepthToSpace", .history = kDepthToSpace, .infer = infer_depth_to_space, .moves = Movement::First};
constinit const Operator SpaceToDepth = {
    .name = "SpaceToDepth", .history = kSpaceToDepth, .infer = infer_space_to_depth, .moves = Movement::First};

void depth_to_space_schemas(SchemaTable& table) {
  for (const Operator* op : {&DepthToSpace, &SpaceToDepth}) table.add(*op);
}

}  // namespace norn::ops
