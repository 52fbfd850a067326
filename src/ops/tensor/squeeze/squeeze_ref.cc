// Squeeze and Unsqueeze copy; only the dimensions change. Axes come as an input (from 13; earlier nodes are lifted).
#include <string>
#include <vector>

#include "ops/common/elements.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace squeeze_ref_cc {
namespace {

void squeeze_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const opset::Dims x = opset::to_dims(in.dims());
  const auto squeezed = ctx.require(resolve_squeeze(ctx, &x), "axes");
  Shape dims;
  for (std::size_t i = 0; i < squeezed.size(); ++i) {
    if (!squeezed[i])
      dims.push_back(in.dims()[i]);
    else if (in.dims()[i] != 1) {
      ctx.fail("dimension " + std::to_string(i) + " of " + to_string(in.dims()) + " is to be squeezed but is not 1");
    }
  }
  copy_elements(ctx.output(0, in.dtype(), dims), 0, in, 0, in.size());
}

void unsqueeze_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  Shape dims;
  auto next = in.dims().begin();
  const auto inserted = ctx.require(resolve_unsqueeze(ctx, in.rank()), "axes");
  for (const bool is_new : inserted) dims.push_back(is_new ? 1 : *next++);
  copy_elements(ctx.output(0, in.dtype(), dims), 0, in, 0, in.size());
}

}  // namespace
}  // namespace squeeze_ref_cc

void squeeze_references(opset::ReferenceTable& table) {
  table.add(Squeeze, squeeze_ref, 13);
  table.add(Unsqueeze, unsqueeze_ref, 13);
}

}  // namespace norn::ops
