// The gated linear unit of transformers: swish of the gate, times the value. Gate and value are two inputs of one
// shape; nothing broadcasts.
#include "ops/math/swiglu/swiglu.h"

#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace swiglu_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "A", .type = "T", .diff = kDiff}, {.name = "B", .type = "T", .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.0f)}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kSwiGLU[] = {
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_swiglu(InferContext& ctx) {
  if (!ctx.has_rank(0) || !ctx.has_rank(1)) return ctx.set(0, ctx.has_rank(0) ? ctx.input(0) : ctx.input(1));
  if (ctx.rank(0) != ctx.rank(1))
    ctx.fail("A has rank " + std::to_string(ctx.rank(0)) + " and B rank " + std::to_string(ctx.rank(1)) +
                 ", but both have to have one shape",
             "SwiGLU does not broadcast: put an Expand before it");
  Dims dims = ctx.shape(0);
  for (int d = 0; d < ctx.rank(0); ++d) dims[static_cast<std::size_t>(d)] = *agree(ctx, 0, d, 1, d);
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace swiglu_cc

constinit const Operator SwiGLU = {.name = "SwiGLU", .history = kSwiGLU, .infer = infer_swiglu};

void swiglu_schemas(SchemaTable& table) { table.add(SwiGLU); }

}  // namespace norn::ops
