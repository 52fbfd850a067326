// Pad: elements added (or, with negative pads, removed) before and after each axis.
//
// Traps: pads lists all beginnings first, then all ends; with axes (18) it lists those axes only. A removed border is
// removed first, so the other modes reflect or repeat what is left. Mode wrap came with 19.
#include "ops/tensor/pad/pad.h"

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace pad_cc {
namespace {

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kInputs11[] = {
    {.name = "data", .type = "T"},
    {.name = "pads", .type = "tensor(int64)"},
    {.name = "constant_value", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "pads", .type = "tensor(int64)", .diff = kNonDiff},
    {.name = "constant_value", .type = "T", .option = ParamOption::Optional, .diff = kNonDiff},
};
constexpr Param kInputs18[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "pads", .type = "tensor(int64)", .diff = kNonDiff},
    {.name = "constant_value", .type = "T", .option = ParamOption::Optional, .diff = kNonDiff},
    {.name = "axes", .type = "Tind", .option = ParamOption::Optional, .diff = kNonDiff},
};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};

constexpr Attr kAttrs1[] = {
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("constant")},
    {.name = "paddings", .type = ir::AttributeType::Ints, .required = true},
    {.name = "value", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
};
constexpr Attr kAttrs2[] = {
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("constant")},
    {.name = "pads", .type = ir::AttributeType::Ints, .required = true},
    {.name = "value", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
};
constexpr Attr kAttrs11[] = {{.name = "mode", .type = ir::AttributeType::String, .def = def_string("constant")}};

template <std::uint32_t kElements>
constexpr TypeConstraint kT[] = {{"T", tensors(kElements)}};
template <std::uint32_t kElements>
constexpr TypeConstraint kTypes[] = {{"T", tensors(kElements)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kInputs18,
          .outputs = kOutputs13,
          .attrs = kAttrs11,
          .types = types,
          .same_meaning = since > 19};
}
constexpr Schema kPad[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kT<types::kFloat16To64>},
    {.since = 2, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs2, .types = kT<types::kFloat16To64>},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs1, .attrs = kAttrs11, .types = kT<types::kNumeric>},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs11,
     .types = kT<types::kAllBf>,
     .same_meaning = true},
    row(18, kTypes<types::kAllBf>),
    row(19, kTypes<types::kAllBf>),
    row(21, kTypes<types::kAllIr10>),
    row(23, kTypes<types::kAllIr11>),
    row(24, kTypes<types::kAllIr12>),
    row(25, kTypes<types::kAllIr13>),
};

// So far, sums of sizes and pads can be counted.
constexpr std::int64_t kMostPad = std::int64_t{1} << 61;

std::optional<Dims> known_pads(const NodeView& node) {
  if (node.version() >= 11) return node.known_ints(1);
  return to_dims(node.attrs().ints(node.version() < 2 ? "paddings" : "pads"));
}

void infer_pad(InferContext& ctx) {
  pad_mode(ctx);
  if (ctx.version() >= 11) pad_element(ctx);
  if (ctx.version() >= 11) ctx.require_rank(1, 1);
  ctx.set(0, ctx.elem(0));
  if (!ctx.has_rank(0)) {
    if (ctx.has_input(3)) return;
    const auto pads = known_pads(ctx);
    if (!pads && !ctx.has_rank(1)) return;
    const DimExpr count = pads ? DimExpr(static_cast<std::int64_t>(pads->size())) : ctx.shape(1)[0];
    if (auto dims = ctx.fresh_dims(DimExpr::floor_div(count, 2))) ctx.set(0, ctx.elem(0), *std::move(dims));
    return;
  }
  Dims dims = ctx.shape(0);
  const PadParams p = resolve_pad(ctx, ctx.rank(0));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (p.padded && !(*p.padded)[d]) continue;
    if (!p.begin) {
      dims[d] = ctx.fresh_dim(p.padded ? "the contents of pads are not known" : "the contents of axes are not known");
      continue;
    }
    dims[d] = padded_size(ctx, p, ctx.shape(0), d);
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace pad_cc

PadMode pad_mode(const NodeView& node) {
  const std::string mode = node.attrs().s("mode");
  if (mode == "constant") return PadMode::Constant;
  if (mode == "reflect") return PadMode::Reflect;
  if (mode == "edge") return PadMode::Edge;
  if (mode != "wrap") node.fail("mode \"" + mode + "\" is none of constant, reflect, edge, wrap");
  if (node.version() < 19) node.fail("mode \"wrap\" came with opset 19");
  return PadMode::Wrap;
}

PadParams resolve_pad(const NodeView& node, std::int64_t rank) {
  PadParams p;
  const auto pads = known_pads(node);
  std::optional<std::vector<std::int64_t>> axes;
  if (!node.has_input(3)) {
    axes.emplace(static_cast<std::size_t>(rank));
    std::iota(axes->begin(), axes->end(), 0);
  } else if ((axes = node.const_ints(3))) {
    axes = node.normalize_axes(*std::move(axes), rank);
  }
  if (!axes) return p;
  p.padded = marked(*axes, rank);
  if (!pads) return p;
  const std::size_t n = axes->size();
  if (pads->size() != 2 * n) {
    node.fail("pads has " + std::to_string(pads->size()) + " entries, but " + std::to_string(n) + " axes take " +
              std::to_string(2 * n));
  }
  for (const DimExpr& pad : *pads)
    if (pad.is_constant() && (pad.constant() > kMostPad || pad.constant() < -kMostPad)) node.fail("pads are too large");
  p.begin = p.end = Dims(static_cast<std::size_t>(rank), DimExpr(0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto d = static_cast<std::size_t>((*axes)[i]);
    (*p.begin)[d] = (*pads)[i];
    (*p.end)[d] = (*pads)[i + n];
  }
  return p;
}

DimExpr padded_size(const NodeView& node, const PadParams& p, const Dims& x, std::size_t d) {
  // What both add fits where what one of them adds need not.
  DimExpr size = x[d] + ((*p.begin)[d] + (*p.end)[d]);
  if (size.is_constant() && size.constant() < 0)
    node.fail("pads remove more than there is along axis " + std::to_string(d) + " of " + to_string(x));
  return size;
}

const norn::Tensor* pad_element(const NodeView& node) {
  // A scalar or a tensor of one element.
  if (const auto shape = node.known_shape(2)) {
    for (const DimExpr& d : *shape)
      if (DimExpr::differ(d, 1)) node.fail("constant_value must have one element, not shape " + to_string(*shape));
  }
  return node.constant(2);
}

constinit const Operator Pad = {.name = "Pad", .history = kPad, .infer = infer_pad, .moves = Movement::Mixed};

void pad_schemas(SchemaTable& table) { table.add(Pad); }

}  // namespace norn::ops
