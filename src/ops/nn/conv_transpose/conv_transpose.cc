// Transposed convolution. W is C x M/group x kernel, input channels first. With output_shape the pads follow from it.
//
// Version 11 rewrote where an odd element of padding goes and what size SAME aims at. The text of version 1 contradicts
// itself in both; runtimes and onnx's converter read it as 11 does, and so does this. A padding that would be negative
// is none: output_shape then adds elements at the end, fewer than the stride; SAME gives the size without padding.
#include "ops/nn/conv_transpose/conv_transpose.h"

#include <algorithm>
#include <string>

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
  Given g{.group = node.attrs().i("group"), .window = read_window(node.attrs(), rank)};
  if (g.group < 1) node.fail("group is " + std::to_string(g.group) + ", but has to be at least 1");
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

Size size_of(const NodeView& node, const Given& g, std::size_t d, const DimExpr& in, const DimExpr& kernel) {
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

void infer_conv_transpose(InferContext& ctx) {
  const DataType elem = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1);
  const auto kernel_shape = ctx.attrs().find_ints("kernel_shape");
  std::optional<std::size_t> rank;
  const auto agree = [&](std::size_t r, const char* what) {
    if (r < 3) ctx.fail(std::string(what) + " has no spatial dimension, and there has to be one");
    if (rank && *rank != r) {
      ctx.fail(std::string(what) + " has " + std::to_string(r - 2) + " spatial dimensions, X or W " +
               std::to_string(*rank - 2));
    }
    rank = r;
  };
  if (ctx.has_rank(0)) agree(static_cast<std::size_t>(ctx.rank(0)), "X");
  if (ctx.has_rank(1)) agree(static_cast<std::size_t>(ctx.rank(1)), "W");
  if (kernel_shape && !kernel_shape->empty()) agree(kernel_shape->size() + 2, "kernel_shape");
  ctx.require_rank(2, 1);
  if (!rank) return ctx.set(0, elem);

  const Given g = read(ctx, *rank - 2);
  DimExpr filters;
  if (ctx.has_rank(1)) {
    const Dims& w = ctx.shape(1);
    filters = w[1] * g.group;
    if (w[0].is_constant() && w[0].constant() % g.group != 0) {
      ctx.fail("W takes " + w[0].to_string() + " channels, which group " + std::to_string(g.group) +
               " does not divide");
    }
    if (ctx.has_rank(0)) ctx.unify(ctx.shape(0)[1], w[0], "channels of X and W");
    if (ctx.has_rank(2)) filters = ctx.unify(filters, ctx.shape(2)[0], "filters of W and size of B");
  } else {
    filters = ctx.has_rank(2) ? ctx.shape(2)[0] : ctx.fresh_dim("the number of filters is not known");
  }
  Dims out{ctx.has_rank(0) ? ctx.shape(0)[0] : ctx.fresh_dim(), filters};
  for (std::size_t d = 0; d + 2 < *rank; ++d) {
    std::optional<DimExpr> kernel;
    if (!g.window.kernel.empty()) kernel = g.window.kernel[d];
    if (ctx.has_rank(1)) {
      const DimExpr& size = ctx.shape(1)[d + 2];
      kernel = kernel ? ctx.unify(*kernel, size, "kernel_shape and W") : size;
    }
    if (ctx.has_rank(0) && kernel)
      out.push_back(size_of(ctx, g, d, ctx.shape(0)[d + 2], *kernel).out);
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
  if (x.size() < 3 || w.size() != x.size()) {
    node.fail("X " + norn::to_string(x) + " and W " + norn::to_string(w) + " need the same rank, at least 3");
  }
  const std::size_t rank = x.size() - 2;
  Given g = read(node, rank);
  if (x[1] != w[0] || x[1] % g.group != 0) {
    node.fail("X has " + std::to_string(x[1]) + " channels, W " + norn::to_string(w) + " does not fit them in " +
              std::to_string(g.group) + " groups");
  }
  const std::vector<std::int64_t> kernel(w.begin() + 2, w.end());
  if (!g.window.kernel.empty() && g.window.kernel != kernel) {
    node.fail("kernel_shape is " + norn::to_string(g.window.kernel) + ", but W is " + norn::to_string(w));
  }
  ConvTransposeParams p{.group = g.group, .filters = (DimExpr(w[1]) * g.group).constant(), .out = {}, .window = {}};
  for (std::size_t d = 0; d < rank; ++d) {
    const Size size = size_of(node, g, d, x[d + 2], kernel[d]);
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
