// GlobalAveragePool and GlobalMaxPool: each channel's plane becomes one element; the rank stays.
#include "ops/nn/global_pool/global_pool.h"

#include "opset/infer_context.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = Differentiability::Differentiable}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kRows[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .types = kTypes1},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .types = kTypes22, .same_meaning = true},
};

void infer_global_pool(InferContext& ctx) {
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  Dims out = ctx.shape(0);
  if (out.size() < 2) ctx.fail("X needs a batch and a channel dimension");
  for (std::size_t d = 2; d < out.size(); ++d) out[d] = 1;
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace

constinit const Operator GlobalAveragePool = {
    .name = "GlobalAveragePool", .history = kRows, .infer = infer_global_pool};
constinit const Operator GlobalMaxPool = {.name = "GlobalMaxPool", .history = kRows, .infer = infer_global_pool};

void global_pool_schemas(SchemaTable& table) {
  table.add(GlobalAveragePool);
  table.add(GlobalMaxPool);
}

}  // namespace norn::ops
