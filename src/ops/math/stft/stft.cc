// The Fourier transform of overlapping frames. Frame length is given, or is the window's. onesided is the default here,
// and cannot be for complex signals.
#include "ops/math/stft/stft.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace stft_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "signal", .type = "T1", .diff = kNonDiff},
    {.name = "frame_step", .type = "T2", .diff = kNonDiff},
    {.name = "window", .type = "T1", .option = kOptional, .diff = kNonDiff},
    {.name = "frame_length", .type = "T2", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T1", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "onesided", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(types::kIndex)}};

constexpr Schema kSTFT[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_stft(InferContext& ctx) {
  ctx.require_rank(0, 3);
  ctx.require_rank(2, 1);
  const Dims* signal = ctx.has_rank(0) ? &ctx.shape(0) : nullptr;
  const StftParams p = resolve_stft(ctx, signal, ctx.has_rank(2) ? &ctx.shape(2) : nullptr);
  if (ctx.has_rank(2) && p.length) {
    if (const auto given = one_int(ctx, 3)) ctx.unify(*given, ctx.shape(2)[0], "frame_length and the window's size");
  }
  const auto frames = signal && p.step && p.length ? DimExpr::floor_div((*signal)[1] - *p.length, *p.step) + DimExpr(1)
                                                   : ctx.fresh_dim("frame_step or the length of frames is not known");
  DimExpr bins = p.length ? *p.length : ctx.fresh_dim("the length of frames is not known");
  if (p.length && p.onesided) bins = DimExpr::floor_div(bins, 2) + DimExpr(1);
  ctx.set(0, ctx.elem(0), {signal ? (*signal)[0] : ctx.fresh_dim(), frames, bins, 2});
}

}  // namespace
}  // namespace stft_cc

StftParams resolve_stft(const NodeView& node, const Dims* signal, const Dims* window) {
  StftParams p{.onesided = node.attrs().flag("onesided"), .step = one_int(node, 1), .length = one_int(node, 3)};
  if (p.step && p.step->is_constant() && p.step->constant() < 1)
    node.fail("frame_step is " + p.step->to_string() + ", but has to be at least 1");
  if (signal && (*signal)[2].is_constant()) {
    const std::int64_t parts = (*signal)[2].constant();
    if (parts != 1 && parts != 2)
      node.fail("the signal's last axis holds real numbers (1) or pairs (2), but has size " + std::to_string(parts));
    if (parts == 2 && p.onesided)
      node.fail("the spectrum of a complex signal has no symmetry and cannot be one-sided", "set onesided to 0");
  }
  if (window) {
    if (p.length && DimExpr::differ(*p.length, window->front()))
      node.fail("frame_length is " + p.length->to_string() + ", but the window has " + window->front().to_string() +
                " elements");
    if (!p.length || window->front().is_constant()) p.length = window->front();
  } else if (!p.length && !node.has_input(2) && !node.has_input(3) && signal) {
    p.length = (*signal)[1];
  }
  if (!p.length || !p.length->is_constant()) return p;
  if (p.length->constant() < 1)
    node.fail("the length of frames is " + p.length->to_string() + ", but has to be at least 1");
  if (signal && (*signal)[1].is_constant() && (*signal)[1].constant() < p.length->constant())
    node.fail("frames of " + p.length->to_string() + " samples are longer than the signal of " +
              (*signal)[1].to_string());
  return p;
}

constinit const Operator STFT = {.name = "STFT", .history = kSTFT, .infer = infer_stft};

void stft_schemas(SchemaTable& table) { table.add(STFT); }

}  // namespace norn::ops
