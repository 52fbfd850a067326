// Conv: cross-correlation of N x C x D1 x ... x Dn with M filters of C/group x k1 x ... x kn.
//
// The kernel's size is W's; kernel_shape only repeats it, so a kernel_shape that says otherwise is an error. All
// versions mean the same: 11 wrote down the defaults of strides and dilations, 22 added bfloat16.
#include "ops/nn/conv/conv.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace conv_cc {
namespace {

using namespace opset;

constexpr Param kInputs1[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T"},
    {.name = "B", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kInputs[] = {
    {.name = "X", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "W", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "B", .type = "T", .option = ParamOption::Optional, .diff = Differentiability::Differentiable},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kConv[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes1, .same_meaning = true},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

std::int64_t conv_group(const NodeView& node) {
  const std::int64_t group = node.attrs().i("group");
  if (group < 1) node.fail("group is " + std::to_string(group) + ", but has to be at least 1");
  return group;
}

void infer_one_conv(InferContext& ctx) {
  infer_conv(ctx, 0, 1, 2, ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1));
}

}  // namespace
}  // namespace conv_cc

ConvParams resolve_conv(const NodeView& node, const Shape& x, const Shape& w) {
  if (x.size() < 3 || w.size() != x.size()) {
    node.fail("X " + norn::to_string(x) + " and W " + norn::to_string(w) + " need the same rank, at least 3");
  }
  const std::int64_t group = conv_group(node);
  if (x[1] / group != w[1] || x[1] % group != 0 || w[0] % group != 0) {
    node.fail("X has " + std::to_string(x[1]) + " channels, W " + norn::to_string(w) + " does not fit them in " +
              std::to_string(group) + " groups");
  }
  const Shape in(x.begin() + 2, x.end()), kernel(w.begin() + 2, w.end());
  if (const auto given = node.attrs().find_ints("kernel_shape"); given && *given != kernel) {
    node.fail("kernel_shape is " + norn::to_string(*given) + ", but W is " + norn::to_string(w));
  }
  return {group, resolve_window(node.attrs(), in, kernel, false)};
}

// Images with the channels last are the usual mistake, which the sizes show.
void check_layout(InferContext& ctx, int x, const DimExpr& channels) {
  const opset::Dims& dims = ctx.shape(x);
  if (dims.size() < 3 || !channels.is_constant() || !DimExpr::differ(dims[1], channels) || dims.back() != channels)
    return;
  ctx.fail(
      "channels of X and group * channels of W must be equal: " + dims[1].to_string() + " and " + channels.to_string(),
      "X seems to have its channels last (NHWC), and Conv takes them in dimension 1 (NCHW): transpose it");
}

std::optional<Dims> infer_conv(InferContext& ctx, int x, int w, int bias, DataType elem) {
  const std::int64_t group = conv_group(ctx);
  const auto kernel_shape = ctx.attrs().find_ints("kernel_shape");

  std::optional<std::size_t> rank;
  const auto agree = [&](std::size_t r, const char* what) {
    if (r < 3) ctx.fail(std::string(what) + " tells of no spatial dimension, and there has to be one");
    if (rank && *rank != r) {
      ctx.fail(std::string(what) + " tells of " + std::to_string(r - 2) + " spatial dimensions, X or W of " +
               std::to_string(*rank - 2));
    }
    rank = r;
  };
  if (ctx.has_rank(x)) agree(static_cast<std::size_t>(ctx.rank(x)), "X");
  if (ctx.has_rank(w)) agree(static_cast<std::size_t>(ctx.rank(w)), "W");
  if (kernel_shape) agree(kernel_shape->size() + 2, "kernel_shape");

  DimExpr filters;
  if (ctx.has_rank(w)) {
    filters = ctx.shape(w)[0];
    if (filters.is_constant() && filters.constant() % group != 0) {
      ctx.fail("W has " + filters.to_string() + " filters, which group " + std::to_string(group) + " does not divide");
    }
    if (ctx.has_rank(x)) check_layout(ctx, x, ctx.shape(w)[1] * group);
    if (ctx.has_rank(x)) ctx.unify(ctx.shape(x)[1], ctx.shape(w)[1] * group, "channels of X and group * channels of W");
  }
  ctx.require_rank(bias, 1);
  if (ctx.has_rank(bias)) {
    filters =
        ctx.has_rank(w) ? ctx.unify(filters, ctx.shape(bias)[0], "filters of W and size of B") : ctx.shape(bias)[0];
  } else if (!ctx.has_rank(w)) {
    filters = ctx.fresh_dim();
  }
  if (!rank) {
    ctx.set(0, elem);
    return {};
  }

  Dims kernel;
  for (std::size_t d = 2; d < *rank; ++d) {
    if (kernel_shape)
      kernel.emplace_back((*kernel_shape)[d - 2]);
    else
      kernel.push_back(ctx.has_rank(w) ? ctx.shape(w)[d] : ctx.fresh_dim());
    if (kernel_shape && ctx.has_rank(w))
      kernel.back() = ctx.unify(kernel.back(), ctx.shape(w)[d], "kernel_shape and W");
  }
  Dims out{ctx.has_rank(x) ? ctx.shape(x)[0] : ctx.fresh_dim(), filters};
  if (ctx.has_rank(x)) {
    const Dims spatial = window_output(ctx, std::span(ctx.shape(x)).subspan(2), kernel, false);
    out.insert(out.end(), spatial.begin(), spatial.end());
  } else {
    while (out.size() < *rank) out.push_back(ctx.fresh_dim());
  }
  ctx.set(0, elem, out);
  return out;
}

constinit const Operator Conv = {.name = "Conv", .history = kConv, .infer = infer_one_conv};

void conv_schemas(SchemaTable& table) { table.add(Conv); }

}  // namespace norn::ops
