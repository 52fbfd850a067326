// Of equal indices the last one counts.
#include "ops/nn/max_unpool/max_unpool.h"

#include <cstring>
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
  if (y.size() > 0) std::memset(y.mutable_data(), 0, static_cast<std::size_t>(y.size()) * element_size(y.dtype()));
  const auto place = [&]<class T>(T) {
    const auto* from = static_cast<const T*>(x.data());
    auto* to = static_cast<T*>(y.mutable_data());
    const auto* index = indices.as<std::int64_t>();
    for (std::int64_t i = 0; i < x.size(); ++i) {
      if (index[i] < 0 || index[i] >= y.size()) {
        ctx.fail("index " + std::to_string(index[i]) + " is outside of the output's " + std::to_string(y.size()) +
                 " elements");
      }
      to[index[i]] = from[i];
    }
  };
  switch (element_size(x.dtype())) {  // elements are moved, whatever they are
    case 2: return place(std::uint16_t{});
    case 4: return place(std::uint32_t{});
    default: return place(std::uint64_t{});
  }
}

}  // namespace
}  // namespace max_unpool_ref_cc

void max_unpool_references(opset::ReferenceTable& table) { table.add(MaxUnpool, max_unpool_ref); }

}  // namespace norn::ops
