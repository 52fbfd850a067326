#include "ops/common/pooling.h"

#include <string>

namespace norn::ops {

using opset::Attrs;
using opset::Dims;
using opset::InferContext;
using opset::NodeView;

void infer_pool(InferContext& ctx) {
  const PoolParams p = resolve_pool(ctx);
  const std::size_t rank = p.kernel.size() + 2;
  ctx.require_rank(0, static_cast<std::int64_t>(rank));
  Dims out;
  if (ctx.has_rank(0)) {
    const Dims& x = ctx.shape(0);
    out = window_output(ctx, std::span(x).subspan(2), opset::to_dims(p.kernel), p.ceil_mode);
    out.insert(out.begin(), {x[0], x[1]});
  } else {
    while (out.size() < rank) out.push_back(ctx.fresh_dim());
  }
  if (ctx.wants_output(1)) ctx.set(1, DataType::Int64, out);
  ctx.set(0, ctx.elem(0), std::move(out));
}

void infer_global_pool(InferContext& ctx) {
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  Dims out = ctx.shape(0);
  if (out.size() < 2) ctx.fail("X needs a batch and a channel dimension");
  for (std::size_t d = 2; d < out.size(); ++d) out[d] = 1;
  ctx.set(0, ctx.elem(0), std::move(out));
}

PoolParams resolve_pool(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const auto flag = [&](std::string_view name) { return attrs.declares(name) && attrs.flag(name); };
  PoolParams p{.kernel = attrs.ints("kernel_shape"),
               .ceil_mode = flag("ceil_mode"),
               .count_include_pad = flag("count_include_pad"),
               .column_major = flag("storage_order")};
  if (p.kernel.empty()) node.fail("kernel_shape is empty");
  return p;
}

double norm_order(const NodeView& node) {
  const double p = node.version() < 2 ? node.attrs().f("p") : static_cast<double>(node.attrs().i("p"));
  if (!(p > 0)) node.fail("p has to be positive");
  return p;
}

Window pool_window(const NodeView& node, const PoolParams& p, const Shape& x) {
  if (x.size() != p.kernel.size() + 2) {
    node.fail("kernel_shape " + norn::to_string(p.kernel) + " does not fit X " + norn::to_string(x));
  }
  return resolve_window(node.attrs(), std::span(x).subspan(2), p.kernel, p.ceil_mode);
}

}  // namespace norn::ops
