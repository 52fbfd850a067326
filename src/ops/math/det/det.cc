// Determinants of square matrices. Leading axes are a batch.
#include "ops/math/det/det.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace det_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kDet[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .types = kTypes11},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .types = kTypes22, .same_meaning = true},
};

void infer_det(InferContext& ctx) {
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  const Dims& x = ctx.shape(0);
  if (x.size() < 2) ctx.fail("X has shape " + to_string(x) + ", which is not a matrix");
  ctx.unify(x[x.size() - 2], x.back(), "rows and columns of X");
  ctx.set(0, ctx.elem(0), Dims(x.begin(), x.end() - 2));
}

}  // namespace
}  // namespace det_cc

constinit const Operator Det = {.name = "Det", .history = kDet, .infer = infer_det};

void det_schemas(SchemaTable& table) { table.add(Det); }

}  // namespace norn::ops
