// Transposed convolution. W is C x M/group x kernel, input channels first. With output_shape the pads follow from it.
//
// Version 11 rewrote where an odd element of padding goes and what size SAME aims at. The text of version 1 contradicts
// itself in both; runtimes and onnx's converter read it as 11 does, and so does this. A padding that would be negative
// is none: output_shape then adds elements at the end, fewer than the stride; SAME gives the size without padding.
#include "ops/nn/conv_transpose/conv_transpose.h"

#include <algorithm>
#include <string>

#include "ops/nn/conv/conv.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace conv_transpose_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs1[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T"},
    {.name = "B", .type = "T", .option = kOptional},
};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T", .diff = kDiff},
    {.name = "W", .type = "T", .diff = kDiff},
    {.name = "B", .type = "T", .option = kOptional, .diff = kDiff},
};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "output_padding", .type = ir::AttributeType::Ints},
    {.name = "output_shape", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kConvTranspose[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes1, .same_meaning = true},
    {.since = 22, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

// Attributes for a spatial rank.
struct Given {
  std::int64_t group;
  WindowAttrs window;
  std::vector<std::int64_t> output_padding, output_shape;  // the latter may be empty
};

Given read(const NodeView& node, std::size_t rank) {
  Given g{.group = conv_group(node), .window = read_window(node.attrs(), rank)};
  const auto list = [&](std::string_view name) {
    auto values = node.attrs().find_ints(name).value_or(std::vector<std::int64_t>{});
    if (!values.empty() && values.size() != rank) {
      node.fail("the attribute \"" + std::string(name) + "\" has " + std::to_string(values.size()) +
                " values, but there are " + std::to_string(rank) + " spatial dimensions");
    }
    return values;
  };
  g.output_shape = list("output_shape");
  for (const std::int64_t size : g.output_shape)
    if (size < 0) node.fail("output_shape contains " + std::to_string(size));
  g.output_padding = list("output_padding");
  g.output_padding.resize(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    if (g.output_padding[d] < 0 || g.output_padding[d] >= std::max(g.window.strides[d], g.window.dilations[d])) {
      node.fail("output_padding is " + std::to_string(g.output_padding[d]) + " in spatial dimension " +
                std::to_string(d) + ", but has to be at least 0 and smaller than the stride or the dilation");
    }
  }
  return g;
}

// The size of Y in one dimension, and what it would be without padding.
struct Size {
  DimExpr out, unpadded;
};

Size output_of(const NodeView& node, const Given& g, std::size_t d, const DimExpr& in, const DimExpr& kernel) {
  const WindowAttrs& w = g.window;
  const DimExpr unpadded = (in - 1) * w.strides[d] + g.output_padding[d] + (kernel - 1) * w.dilations[d] + 1;
  DimExpr out = unpadded;
  if (!g.output_shape.empty()) {
    out = g.output_shape[d];
    const DimExpr more = out - unpadded;
    if (more.is_constant() && more.constant() >= w.strides[d]) {
      node.fail("output_shape is " + out.to_string() + " in spatial dimension " + std::to_string(d) +
                ", but the output has " + unpadded.to_string() + " elements without padding, and a stride of " +
                std::to_string(w.strides[d]) + " adds fewer than that");
    }
  } else if (w.auto_pad == AutoPad::SameUpper || w.auto_pad == AutoPad::SameLower)
    out = DimExpr::min(unpadded, in * w.strides[d]);
  else
    out = unpadded - w.pads_begin[d] - w.pads_end[d];
  if (out.is_constant() && out.constant() < 0) {
    node.fail("the output would have a size of " + out.to_string() + " in spatial dimension " + std::to_string(d));
  }
  return {out, unpadded};
}

// How many filters W has, in groups that fit the channels of X: [channels, filters of a group, ...].
std::optional<DimExpr> filters_of(const NodeView& node, const KnownShape& x, const KnownShape& w) {
  const std::int64_t group = conv_group(node);
  if (!w) return {};
  const DimExpr& channels = w->front();
  if (channels.is_constant() && channels.constant() % group != 0)
    node.fail("W takes " + channels.to_string() + " channels, which group " + std::to_string(group) +
              " does not divide");
  if (x) node.unify((*x)[1], channels, "channels of X and W");
  return (*w)[1] * group;
}

void infer_conv_transpose(InferContext& ctx) {
  const DataType elem = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1);
  const KnownShape x = ctx.known_shape(0), w = ctx.known_shape(1), bias = ctx.known_shape(2);
  const auto rank = conv_rank(ctx, {{"X", &x}, {"W", &w}});
  ctx.require_rank(2, 1);
  if (!rank) return ctx.set(0, elem);
  const Given g = read(ctx, *rank - 2);
  auto filters = filters_of(ctx, x, w);
  if (bias) filters = filters ? ctx.unify(*filters, bias->front(), "filters of W and size of B") : bias->front();
  const KnownShape kernel = conv_kernel(ctx, w);
  Dims out{x ? x->front() : ctx.fresh_dim(), filters ? *filters : ctx.fresh_dim("the number of filters is not known")};
  for (std::size_t d = 0; d + 2 < *rank; ++d) {
    if (x && kernel)
      out.push_back(output_of(ctx, g, d, (*x)[d + 2], (*kernel)[d]).out);
    else if (!g.output_shape.empty())
      out.emplace_back(g.output_shape[d]);
    else
      out.push_back(ctx.fresh_dim("the size of X or of the window is not known"));
  }
  ctx.set(0, elem, std::move(out));
}

}  // namespace
}  // namespace conv_transpose_cc

ConvTransposeParams resolve_conv_transpose(const NodeView& node, const Shape& x, const Shape& w) {
  const KnownShape from = to_dims(x), by = to_dims(w);
  const std::size_t rank = *conv_rank(node, {{"X", &from}, {"W", &by}}) - 2;
  Given g = read(node, rank);
  const std::int64_t filters = filters_of(node, from, by)->constant();
  const std::vector<std::int64_t> kernel = to_constants(*conv_kernel(node, by));
  ConvTransposeParams p{.group = g.group, .filters = filters, .out = {}, .window = {}};
  for (std::size_t d = 0; d < rank; ++d) {
    const Size size = output_of(node, g, d, x[d + 2], kernel[d]);
    p.out.push_back(size.out.constant());
    if (g.output_shape.empty() && (g.window.auto_pad == AutoPad::NotSet || g.window.auto_pad == AutoPad::Valid))
      continue;
    const std::int64_t total = std::max<std::int64_t>(0, (size.unpadded - size.out).constant());
    const std::int64_t less = total / 2, more = total - less;
    g.window.pads_begin[d] = g.window.auto_pad == AutoPad::SameUpper ? less : more;
    g.window.pads_end[d] = total - g.window.pads_begin[d];
  }
  p.window = {.kernel = kernel,
              .strides = std::move(g.window.strides),
              .dilations = std::move(g.window.dilations),
              .pads_begin = std::move(g.window.pads_begin),
              .pads_end = std::move(g.window.pads_end),
              .out = {x.begin() + 2, x.end()}};
  return p;
}

constinit const Operator ConvTranspose = {
    .name = "ConvTranspose", .history = kConvTranspose, .infer = infer_conv_transpose};

void conv_transpose_schemas(SchemaTable& table) { table.add(ConvTranspose); }

}  // namespace norn::ops
