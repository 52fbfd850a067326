// Convolution whose taps move by offsets that are an input. Offsets come in (height, width) pairs for each kernel
// position and offset group; reading between elements is bilinear, outside the input zero.
#include "ops/nn/deform_conv/deform_conv.h"

#include <string>

#include "ops/common/agree.h"
#include "ops/nn/conv/conv.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace deform_conv_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T"},
    {.name = "offset", .type = "T"},
    {.name = "B", .type = "T", .option = kOptional},
    {.name = "mask", .type = "T", .option = kOptional},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "offset_group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes19[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kDeformConv[] = {
    {.since = 19, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes19},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

// What the attributes and the shapes of the inputs say together.
struct Fit {
  std::int64_t group = 0, offset_group = 0;
  std::optional<std::size_t> rank;
  KnownShape x, kernel, places[2];  // of offset and mask
  std::optional<DimExpr> batch, filters;
};

Fit fit_of(const NodeView& node) {
  node.require_rank(3, 1);
  const KnownShape w = node.known_shape(1), bias = node.known_shape(3);
  Fit fit{.group = conv_group(node),
          .offset_group = node.attrs().i("offset_group"),
          .rank = {},
          .x = node.known_shape(0),
          .kernel = {},
          .places = {node.known_shape(2), node.known_shape(4)},
          .batch = {},
          .filters = {}};
  auto& [offset, mask] = fit.places;
  fit.rank = conv_rank(node, {{"X", &fit.x}, {"W", &w}, {"offset", &offset}, {"mask", &mask}});
  fit.kernel = conv_kernel(node, w);
  fit.filters = conv_filters(node, fit.x, w);
  if (bias)
    fit.filters = fit.filters ? node.unify(*fit.filters, bias->front(), "filters of W and size of B") : bias->front();
  if (fit.offset_group < 1)
    node.fail("offset_group is " + std::to_string(fit.offset_group) + ", but has to be at least 1");
  if (const auto channels = size_of(node, 0, 1);
      channels && channels->is_constant() && channels->constant() % fit.offset_group != 0)
    node.fail("X has " + channels->to_string() + " channels, which offset_group does not divide");
  for (const KnownShape* shape : {&fit.x, &offset, &mask})
    if (*shape)
      fit.batch = fit.batch ? node.unify(*fit.batch, (*shape)->front(), "batches of the inputs") : (*shape)->front();
  if (!fit.kernel) return fit;
  for (const KnownShape& given : fit.places) {
    if (!given) continue;
    const bool is_offset = &given == &offset;
    const auto each = static_cast<std::int64_t>(is_offset ? *fit.rank - 2 : 1);
    node.unify(product(*fit.kernel) * fit.offset_group * each, (*given)[1],
               is_offset ? "offset_group * kernel positions * spatial dimensions and channels of offset"
                         : "offset_group * kernel positions and channels of mask");
  }
  return fit;
}

// Offset and mask have a place for each position of the window: what they say of these sizes, too.
Dims placed(const NodeView& node, const Fit& fit, Dims sizes) {
  for (const KnownShape& given : fit.places)
    for (std::size_t d = 0; given && d < sizes.size(); ++d)
      sizes[d] = node.unify(sizes[d], (*given)[d + 2], "sizes of the output and of an offset or a mask");
  return sizes;
}

void infer_deform_conv(InferContext& ctx) {
  const Fit fit = fit_of(ctx);
  if (!fit.rank) return ctx.set(0, ctx.elem(0));
  Dims sizes;
  if (fit.x) sizes = window_output(ctx, std::span(*fit.x).subspan(2), fit.kernel.value_or(Dims{}), false);
  while (sizes.size() + 2 < *fit.rank) sizes.push_back(ctx.fresh_dim());
  Dims out{fit.batch ? *fit.batch : ctx.fresh_dim(), fit.filters ? *fit.filters : ctx.fresh_dim()};
  const Dims all = placed(ctx, fit, std::move(sizes));
  out.insert(out.end(), all.begin(), all.end());
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace
}  // namespace deform_conv_cc

DeformConvParams resolve_deform_conv(const NodeView& node) {
  const Fit fit = fit_of(node);
  const std::vector<std::int64_t> x = to_constants(node.require(fit.x, "X")),
                                  kernel = to_constants(node.require(fit.kernel, "W"));
  DeformConvParams p{fit.group, fit.offset_group, resolve_window(node.attrs(), std::span(x).subspan(2), kernel, false)};
  placed(node, fit, to_dims(p.window.out));
  return p;
}

constinit const Operator DeformConv = {.name = "DeformConv", .history = kDeformConv, .infer = infer_deform_conv};

void deform_conv_schemas(SchemaTable& table) { table.add(DeformConv); }

}  // namespace norn::ops
