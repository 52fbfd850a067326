// Interpolation to larger sizes, by the operator that came before Resize. Version 1 was experimental and named height
// and width; scales were an attribute in 7, an input in 9. Deprecated since 10, for Resize 10, whose meaning it has.
// Scales below 1 are refused as attributes; as an input they are what they are for Resize, which such nodes become.
#include "ops/tensor/upsample/upsample.h"

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace upsample_cc {
namespace {

using namespace opset;

constexpr Attr kMode = {.name = "mode", .type = ir::AttributeType::String, .def = def_string("nearest")};
constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs9[] = {{.name = "X", .type = "T"}, {.name = "scales", .type = "tensor(float)"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs1[] = {
    {.name = "height_scale", .type = ir::AttributeType::Float, .required = true},
    kMode,
    {.name = "width_scale", .type = ir::AttributeType::Float, .required = true},
};
constexpr Attr kAttrs7[] = {kMode, {.name = "scales", .type = ir::AttributeType::Floats, .required = true}};
constexpr Attr kAttrs9[] = {kMode};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64 | types::kIndex | types::kBool)}};
constexpr TypeConstraint kTypes7[] = {{"T", tensors(types::kAll)}};

constexpr Schema kUpsample[] = {
    {.since = 1,
     .inputs = kInputs1,
     .outputs = kOutputs,
     .attrs = kAttrs1,
     .types = kTypes1,
     .support = Support::Experimental},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs, .attrs = kAttrs7, .types = kTypes7},
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs, .attrs = kAttrs9, .types = kTypes7},
    {.since = 10, .inputs = kInputs9, .outputs = kOutputs, .attrs = kAttrs9, .types = kTypes7, .deprecated = true},
};

void infer_upsample(InferContext& ctx) {
  ctx.require_rank(1, 1);
  if (ctx.version() < 7) ctx.require_rank(0, 4);
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  const UpsampleParams p = resolve_upsample(ctx, ctx.rank(0));
  Dims out;
  if (!p.target) {
    ctx.explain("the contents of \"scales\" are not known");
    while (out.size() < ctx.shape(0).size()) out.push_back(ctx.fresh_dim());
    return ctx.set(0, ctx.elem(0), std::move(out));
  }
  for (const ResizedAxis& axis : resized_axes(ctx, p.resize, *p.target, ctx.shape(0)))
    out.push_back(axis.out ? *axis.out : ctx.fresh_dim("rounding depends on sizes that are not known"));
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace
}  // namespace upsample_cc

UpsampleParams resolve_upsample(const NodeView& node, std::int64_t rank) {
  const std::string mode = node.attrs().s("mode");
  UpsampleParams p;
  if (mode == (node.version() < 7 ? "bilinear" : "linear"))
    p.resize.mode = ResizeMode::Linear;
  else if (mode != "nearest")
    node.fail("the attribute \"mode\" is " + base::quoted(mode),
              node.version() < 7 ? "it has to be nearest or bilinear" : "it has to be nearest or linear");
  for (std::int64_t d = 0; d < rank; ++d) p.resize.axes.push_back(d);
  if (node.version() >= 9) {
    p.target = resolve_resize_target(node, p.resize);
    return p;
  }
  std::vector<float> scales;
  if (node.version() < 7) {
    if (rank != 4)
      node.fail("the input has the rank " + std::to_string(rank) + ", but version 1 takes images N x C x H x W");
    scales = {1, 1, node.attrs().f("height_scale"), node.attrs().f("width_scale")};
  } else {
    scales = node.attrs().floats("scales");
  }
  for (const float scale : scales) {
    if (!(scale >= 1)) {
      node.fail("a scale is " + std::to_string(scale) + ", but has to be at least 1", "Resize makes sizes smaller");
    }
  }
  p.target = {.scales = std::move(scales), .sizes = {}, .roi = {}};
  return p;
}

constinit const Operator Upsample = {.name = "Upsample", .history = kUpsample, .infer = infer_upsample};

void upsample_schemas(SchemaTable& table) { table.add(Upsample); }

}  // namespace norn::ops
