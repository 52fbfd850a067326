// The discrete Fourier transform along an axis. The last axis holds real numbers (1) or pairs (2). `axis` was an
// attribute, 1 by default, and became an input with 20, -2 by default.
//
// One-sided, real numbers become the first half of their spectrum, and such a half becomes real numbers: the other ways
// round there is no symmetry, and they are refused.
#include "ops/math/dft/dft.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace dft_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInput = {.name = "input", .type = "T1", .diff = kNonDiff};
constexpr Param kDftLength = {.name = "dft_length", .type = "T2", .option = kOptional, .diff = kNonDiff};
constexpr Attr kInverse = {.name = "inverse", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kOnesided = {.name = "onesided", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Param kInputs17[] = {kInput, kDftLength};
constexpr Param kInputs20[] = {
    kInput,
    kDftLength,
    {.name = "axis", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T1"}};
constexpr Attr kAttrs17[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)},
    kInverse,
    kOnesided,
};
constexpr Attr kAttrs20[] = {kInverse, kOnesided};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(types::kIndex)}};

constexpr Schema kDFT[] = {
    {.since = 17, .inputs = kInputs17, .outputs = kOutputs, .attrs = kAttrs17, .types = kTypes},
    {.since = 20, .inputs = kInputs20, .outputs = kOutputs, .attrs = kAttrs20, .types = kTypes},
};

void infer_dft(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  if (!ctx.has_rank(0)) return;
  Dims dims = ctx.shape(0);
  const DftParams p = resolve_dft(ctx, dims);
  dims.back() = p.to_real() ? 1 : 2;
  if (p.axis) {
    dims[static_cast<std::size_t>(*p.axis)] = p.length ? p.output_size() : ctx.fresh_dim("dft_length is not known");
  } else if (ctx.has_input(1) || p.onesided) {
    for (std::size_t d = 0; d + 1 < dims.size(); ++d) dims[d] = ctx.fresh_dim("the axis is not known");
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
}

std::optional<std::int64_t> axis_of(const NodeView& node, std::int64_t rank) {
  std::int64_t axis = -2;
  if (node.version() < 20) {
    axis = node.attrs().i("axis");
  } else if (node.has_input(2)) {
    const auto given = one_int(node, 2);
    if (!given || !given->is_constant()) return {};
    axis = given->constant();
  }
  axis = node.normalize_axis(axis, rank);
  if (axis == rank - 1) node.fail("axis is the last one, which holds real and imaginary parts");
  return axis;
}

}  // namespace
}  // namespace dft_cc

DftParams resolve_dft(const NodeView& node, const Dims& dims) {
  DftParams p{.inverse = node.attrs().flag("inverse"), .onesided = node.attrs().flag("onesided")};
  if (dims.size() < 2) {
    node.fail(std::string("the input has rank ") + std::to_string(dims.size()) +
              "; it needs an axis of the signal and a last one of size 1 or 2, for real or complex numbers");
  }
  if (const DimExpr& parts = dims.back(); parts.is_constant()) {
    if (parts.constant() != 1 && parts.constant() != 2)
      node.fail("the last axis holds real numbers (1) or pairs (2), but has size " + parts.to_string());
    if (p.onesided && parts.constant() != (p.inverse ? 2 : 1)) {
      node.fail(p.inverse ? "a one-sided inverse transform takes complex numbers, but the last axis has size 1"
                          : "a one-sided transform takes real numbers, but the last axis has size 2",
                "leave out onesided");
    }
  }
  p.axis = axis_of(node, static_cast<std::int64_t>(dims.size()));
  if (node.has_input(1))
    p.length = one_int(node, 1);
  else if (p.axis)
    p.length = dims[static_cast<std::size_t>(*p.axis)];
  if (!node.has_input(1) && p.length && p.to_real()) p.length = DimExpr(2) * (*p.length - DimExpr(1));
  if (p.length && p.length->is_constant() && p.length->constant() < 1)
    node.fail("the length of the transform is " + p.length->to_string() + ", but has to be at least 1");
  return p;
}

DimExpr DftParams::output_size() const {
  return onesided && !inverse ? DimExpr::floor_div(*length, 2) + DimExpr(1) : *length;
}

constinit const Operator DFT = {.name = "DFT", .history = kDFT, .infer = infer_dft};

void dft_schemas(SchemaTable& table) { table.add(DFT); }

}  // namespace norn::ops
