#include "ops/common/pairs.h"

namespace norn::ops {

using opset::DimExpr;
using opset::Dims;

void infer_pairs(opset::InferContext& ctx, DataType type) {
  if (ctx.version() < 7 && ctx.has_rank(0)) return ctx.set(0, type, ctx.shape(0));
  if (ctx.version() >= 7 && ctx.has_rank(0) && ctx.has_rank(1))
    return ctx.set(0, type, broadcast(ctx, ctx.shape(0), ctx.shape(1)));
  if (type != DataType::Undefined) ctx.set(0, type);
}

}  // namespace norn::ops
