// Of equal indices the last one counts.
#include "ops/nn/max_unpool/max_unpool.h"

#include <string>

#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace max_unpool_ref_cc {
namespace {

void max_unpool_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &indices = ctx.input(1);
  if (x.dims() != indices.dims()) {
    ctx.fail("I has the shape " + to_string(indices.dims()) + ", but X has " + to_string(x.dims()));
  }
  const auto shape = ctx.require(unpooled_shape(ctx, opset::to_dims(x.dims())), "output_shape");
  Tensor& y = ctx.output(0, x.dtype(), opset::to_constants(shape));
  const std::vector<double> values = load_all<double>(x);
  std::vector<double> result(static_cast<std::size_t>(y.size()), 0.0);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::int64_t to = indices.as<std::int64_t>()[i];
    if (to < 0 || to >= y.size()) {
      ctx.fail("index " + std::to_string(to) + " is outside of the output's " + std::to_string(y.size()) + " elements");
    }
    result[static_cast<std::size_t>(to)] = values[static_cast<std::size_t>(i)];
  }
  store_all(y, result);
}

}  // namespace
}  // namespace max_unpool_ref_cc

void max_unpool_references(opset::ReferenceTable& table) { table.add(MaxUnpool, max_unpool_ref); }

}  // namespace norn::ops
