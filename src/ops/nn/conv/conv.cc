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

// Images with the channels last are the usual mistake, which the sizes show.
void check_layout(const NodeView& node, const Dims& x, const DimExpr& channels) {
  if (!channels.is_constant() || !DimExpr::differ(x[1], channels) || x.back() != channels) return;
  node.fail(
      "channels of X and group * channels of W must be equal: " + x[1].to_string() + " and " + channels.to_string(),
      "X seems to have its channels last (NHWC), and Conv takes them in dimension 1 (NCHW): transpose it");
}

void infer_one_conv(InferContext& ctx) {
  infer_conv(ctx, 0, 1, 2, ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1));
}

}  // namespace
}  // namespace conv_cc

std::int64_t conv_group(const NodeView& node) {
  const std::int64_t group = node.attrs().i("group");
  if (group < 1) node.fail("group is " + std::to_string(group) + ", but has to be at least 1");
  return group;
}

std::optional<std::size_t> conv_rank(const NodeView& node,
                                     std::initializer_list<std::pair<std::string_view, const KnownShape*>> inputs) {
  std::optional<std::size_t> rank;
  std::string first;
  const auto agree = [&](std::string_view name, std::size_t own) {
    if (own < 3)
      node.fail(std::string(name) + " has rank " + std::to_string(own) +
                ", but needs at least 3: a batch, channels and a spatial dimension");
    if (rank && *rank != own)
      node.fail(std::string(name) + " has " + std::to_string(own - 2) + " spatial dimensions, but " + first + " has " +
                std::to_string(*rank - 2));
    rank = own;
    first = name;
  };
  for (const auto& [name, shape] : inputs)
    if (*shape) agree(name, (*shape)->size());
  const auto kernel = node.attrs().find_ints("kernel_shape");
  if (kernel && !kernel->empty()) agree("kernel_shape", kernel->size() + 2);
  return rank;
}

KnownShape conv_kernel(const NodeView& node, const KnownShape& w) {
  const auto given = node.attrs().find_ints("kernel_shape");
  KnownShape kernel;
  if (given && !given->empty()) kernel = to_dims(*given);
  if (!w) return kernel;
  Dims sizes(w->begin() + 2, w->end());
  for (std::size_t d = 0; kernel && d < sizes.size(); ++d)
    sizes[d] = node.unify((*kernel)[d], sizes[d], "kernel_shape and W");
  return sizes;
}

std::optional<DimExpr> conv_filters(const NodeView& node, const KnownShape& x, const KnownShape& w) {
  const std::int64_t group = conv_group(node);
  if (!w) return {};
  const DimExpr& filters = w->front();
  if (filters.is_constant() && filters.constant() % group != 0)
    node.fail("W has " + filters.to_string() + " filters, which group " + std::to_string(group) + " does not divide");
  if (x) {
    const DimExpr channels = (*w)[1] * group;
    check_layout(node, *x, channels);
    node.unify((*x)[1], channels, "channels of X and group * channels of W");
  }
  return filters;
}

ConvParams resolve_conv(const NodeView& node, const Shape& x, const Shape& w) {
  const KnownShape from = to_dims(x), by = to_dims(w);
  conv_rank(node, {{"X", &from}, {"W", &by}});
  conv_filters(node, from, by);
  conv_kernel(node, by);
  return {conv_group(node),
          resolve_window(node.attrs(), std::span(x).subspan(2), Shape(w.begin() + 2, w.end()), false)};
}

std::optional<Dims> infer_conv(InferContext& ctx, int x, int w, int bias, DataType elem) {
  const KnownShape from = ctx.known_shape(x), by = ctx.known_shape(w), added = ctx.known_shape(bias);
  const auto rank = conv_rank(ctx, {{"X", &from}, {"W", &by}});
  auto filters = conv_filters(ctx, from, by);
  ctx.require_rank(bias, 1);
  if (added) filters = filters ? ctx.unify(*filters, added->front(), "filters of W and size of B") : added->front();
  if (!rank) {
    ctx.set(0, elem);
    return {};
  }
  Dims out{from ? from->front() : ctx.fresh_dim(), filters ? *filters : ctx.fresh_dim()};
  if (from) {
    const Dims spatial = window_output(ctx, std::span(*from).subspan(2), conv_kernel(ctx, by).value_or(Dims{}), false);
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
