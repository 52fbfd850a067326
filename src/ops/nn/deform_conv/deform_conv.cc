// Convolution whose taps move by offsets that are an input. Offsets come in (height, width) pairs for each kernel
// position and offset group; reading between elements is bilinear, outside the input zero.
#include "ops/nn/deform_conv/deform_conv.h"

#include <string>

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

std::int64_t positive(const NodeView& node, std::string_view name) {
  const std::int64_t value = node.attrs().i(name);
  if (value < 1) node.fail(std::string(name) + " is " + std::to_string(value) + ", but has to be at least 1");
  return value;
}

void infer_deform_conv(InferContext& ctx) {
  const std::int64_t group = positive(ctx, "group"), offset_group = positive(ctx, "offset_group");
  std::optional<std::size_t> rank;
  const auto agree = [&](std::size_t r, std::string_view what) {
    if (r < 3) ctx.fail(std::string(what) + " needs two dimensions and a spatial one at least");
    if (rank && *rank != r) {
      ctx.fail(std::string(what) + " has " + std::to_string(r - 2) + " spatial dimensions, another input " +
               std::to_string(*rank - 2));
    }
    rank = r;
  };
  for (const int i : {0, 1, 2, 4})
    if (ctx.has_rank(i))
      agree(static_cast<std::size_t>(ctx.rank(i)), ctx.schema().inputs[static_cast<std::size_t>(i)].name);
  const auto kernel_shape = ctx.attrs().find_ints("kernel_shape");
  if (kernel_shape && !kernel_shape->empty()) agree(kernel_shape->size() + 2, "kernel_shape");
  ctx.require_rank(3, 1);
  if (!rank) return ctx.set(0, ctx.elem(0));
  const auto spatial = static_cast<std::int64_t>(*rank - 2);

  Dims kernel;
  if (ctx.has_rank(1)) {
    const Dims& w = ctx.shape(1);
    kernel.insert(kernel.end(), w.begin() + 2, w.end());
    if (w[0].is_constant() && w[0].constant() % group != 0)
      ctx.fail("W has " + w[0].to_string() + " filters, which group " + std::to_string(group) + " does not divide");
    if (ctx.has_rank(0)) ctx.unify(ctx.shape(0)[1], w[1] * group, "channels of X and group * channels of W");
    if (ctx.has_rank(3)) ctx.unify(w[0], ctx.shape(3)[0], "filters of W and size of B");
  }
  if (kernel_shape) {
    const Dims given = to_dims(*kernel_shape);
    for (std::size_t d = 0; d < kernel.size() && d < given.size(); ++d)
      ctx.unify(given[d], kernel[d], "kernel_shape and W");
    if (kernel.empty()) kernel = given;
  }
  if (ctx.has_rank(0) && ctx.shape(0)[1].is_constant() && ctx.shape(0)[1].constant() % offset_group != 0)
    ctx.fail("X has " + ctx.shape(0)[1].to_string() + " channels, which offset_group does not divide");
  Dims out{ctx.has_rank(0)   ? ctx.shape(0)[0]
           : ctx.has_rank(2) ? ctx.shape(2)[0]
                             : ctx.fresh_dim(),
           ctx.has_rank(1)   ? ctx.shape(1)[0]
           : ctx.has_rank(3) ? ctx.shape(3)[0]
                             : ctx.fresh_dim()};
  if (ctx.has_rank(0)) {
    const Dims sizes = window_output(ctx, std::span(ctx.shape(0)).subspan(2), kernel, false);
    out.insert(out.end(), sizes.begin(), sizes.end());
  } else {
    while (out.size() < *rank) out.push_back(ctx.fresh_dim());
  }
  for (const int i : {2, 4}) {
    if (!ctx.has_rank(i)) continue;
    const Dims& given = ctx.shape(i);
    out[0] = ctx.unify(out[0], given[0], "batches of the inputs");
    for (std::size_t d = 2; d < out.size(); ++d)
      out[d] = ctx.unify(out[d], given[d], "sizes of the output and of an offset or a mask");
    if (!kernel.empty()) {
      const DimExpr taps = product(kernel) * offset_group * (i == 2 ? spatial : 1);
      ctx.unify(taps, given[1],
                i == 2 ? "offset_group * kernel positions * spatial dimensions and channels of offset"
                       : "offset_group * kernel positions and channels of mask");
    }
  }
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace
}  // namespace deform_conv_cc

DeformConvParams resolve_deform_conv(const NodeView& node, const Shape& x, const Shape& w) {
  if (x.size() < 3 || w.size() != x.size()) {
    node.fail("X " + norn::to_string(x) + " and W " + norn::to_string(w) + " need the same rank, at least 3");
  }
  const std::int64_t group = positive(node, "group"), offset_group = positive(node, "offset_group");
  if (x[1] / group != w[1] || x[1] % group != 0 || w[0] % group != 0 || x[1] % offset_group != 0) {
    node.fail("X has " + std::to_string(x[1]) + " channels, W " + norn::to_string(w) + " does not fit them in " +
              std::to_string(group) + " groups, with " + std::to_string(offset_group) + " of offsets");
  }
  const std::vector<std::int64_t> in(x.begin() + 2, x.end()), kernel(w.begin() + 2, w.end());
  if (const auto given = node.attrs().find_ints("kernel_shape"); given && !given->empty() && *given != kernel) {
    node.fail("kernel_shape is " + norn::to_string(*given) + ", but W is " + norn::to_string(w));
  }
  return {group, offset_group, resolve_window(node.attrs(), in, kernel, false)};
}

constinit const Operator DeformConv = {.name = "DeformConv", .history = kDeformConv, .infer = infer_deform_conv};

void deform_conv_schemas(SchemaTable& table) { table.add(DeformConv); }

}  // namespace norn::ops
