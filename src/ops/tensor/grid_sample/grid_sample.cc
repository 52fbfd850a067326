// Samples of an image at points of a grid. Points lie in [-1, 1]; align_corners says whether that means centres or
// edges. 20 took any number of dimensions and renamed the modes: bilinear became linear, bicubic cubic.
#include "ops/tensor/grid_sample/grid_sample.h"

#include <string>

#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace grid_sample_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kAlignCorners = {.name = "align_corners", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kPaddingMode = {.name = "padding_mode", .type = ir::AttributeType::String, .def = def_string("zeros")};
constexpr Param kInputs[] = {
    {.name = "X", .type = "T1", .diff = kDiff},
    {.name = "grid", .type = "T2", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T1", .diff = kDiff}};
constexpr Attr kAttrs16[] = {
    kAlignCorners,
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("bilinear")},
    kPaddingMode,
};
constexpr Attr kAttrs20[] = {
    kAlignCorners,
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("linear")},
    kPaddingMode,
};
constexpr TypeConstraint kTypes16[] = {{"T1", tensors(types::kAll)}, {"T2", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kAllBf)}, {"T2", tensors(types::kFloats)}};

constexpr Schema kGridSample[] = {
    {.since = 16, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs16, .types = kTypes16},
    {.since = 20, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs20, .types = kTypes16},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs20, .types = kTypes22, .same_meaning = true},
};

void infer_grid_sample(InferContext& ctx) {
  const GridSampleParams p = resolve_grid_sample(ctx);
  if (!p.batch) return ctx.set(0, ctx.elem(0));
  Dims out = {*p.batch, ctx.has_rank(0) ? ctx.shape(0)[1] : ctx.fresh_dim()};
  if (ctx.has_rank(1))
    out.insert(out.end(), ctx.shape(1).begin() + 1, ctx.shape(1).end() - 1);
  else
    while (out.size() < ctx.shape(0).size()) out.push_back(ctx.fresh_dim());
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace
}  // namespace grid_sample_cc

GridSampleParams resolve_grid_sample(const NodeView& node) {
  const bool old = node.version() < 20;
  GridSampleParams p{.align_corners = node.attrs().flag("align_corners"), .batch = std::nullopt};
  const std::string mode = node.attrs().s("mode"), padding = node.attrs().s("padding_mode");
  if (mode == "nearest")
    p.mode = SampleMode::Nearest;
  else if (mode == (old ? "bilinear" : "linear"))
    p.mode = SampleMode::Linear;
  else if (mode == (old ? "bicubic" : "cubic"))
    p.mode = SampleMode::Cubic;
  else
    node.fail("the attribute \"mode\" is " + base::quoted(mode),
              old ? "it has to be bilinear, nearest or bicubic" : "it has to be linear, nearest or cubic");
  if (padding == "zeros")
    p.padding = SamplePadding::Zeros;
  else if (padding == "border")
    p.padding = SamplePadding::Border;
  else if (padding == "reflection")
    p.padding = SamplePadding::Reflection;
  else
    node.fail("the attribute \"padding_mode\" is " + base::quoted(padding), "it has to be zeros, border or reflection");
  const auto x = node.known_shape(0), grid = node.known_shape(1);
  for (const int i : {0, 1})
    if (old) node.require_rank(i, 4);
  for (const auto& dims : {x, grid})
    if (dims && dims->size() < 3) node.fail("X and grid need a batch, another and at least one spatial dimension");
  if (x && grid && x->size() != grid->size())
    node.fail("X has " + std::to_string(x->size()) + " dimensions, grid " + std::to_string(grid->size()));
  if (grid) {
    node.unify(grid->back(), static_cast<std::int64_t>(grid->size()) - 2,
               "last dimension of grid and spatial dimensions of X");
  }
  if (x) p.batch = x->front();
  if (grid) p.batch = x ? node.unify(x->front(), grid->front(), "batches of X and grid") : grid->front();
  return p;
}

constinit const Operator GridSample = {.name = "GridSample", .history = kGridSample, .infer = infer_grid_sample};

void grid_sample_schemas(SchemaTable& table) { table.add(GridSample); }

}  // namespace norn::ops
