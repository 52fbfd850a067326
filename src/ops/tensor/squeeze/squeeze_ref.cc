// Squeeze and Unsqueeze copy; only the dimensions change. Axes come as an input (from 13; earlier nodes are lifted).
#include <string>
#include <vector>

#include "ops/common/elements.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

std::vector<bool> marked(opset::ReferenceContext& ctx, const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> mark(rank, false);
  const auto r = static_cast<std::int64_t>(rank);
  for (const std::int64_t a : axes) {
    const std::int64_t axis = a < 0 ? a + r : a;
    if (axis < 0 || axis >= r) {
      ctx.fail("axis " + std::to_string(a) + " is outside [" + std::to_string(-r) + ", " + std::to_string(r) + ")");
    }
    if (mark[static_cast<std::size_t>(axis)]) ctx.fail("axis " + std::to_string(a) + " is given twice");
    mark[static_cast<std::size_t>(axis)] = true;
  }
  return mark;
}

std::vector<std::int64_t> axes_input(opset::ReferenceContext& ctx) {
  const Tensor& axes = ctx.input(1);
  if (axes.rank() > 1) ctx.fail("axes must have rank 1, not shape " + to_string(axes.dims()));
  return to_ints(axes);
}

void squeeze_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  std::vector<bool> mark(in.dims().size(), false);
  if (ctx.has_input(1)) {
    mark = marked(ctx, axes_input(ctx), in.dims().size());
  } else {
    for (std::size_t i = 0; i < mark.size(); ++i) mark[i] = in.dims()[i] == 1;
  }
  Shape dims;
  for (std::size_t i = 0; i < mark.size(); ++i) {
    if (!mark[i])
      dims.push_back(in.dims()[i]);
    else if (in.dims()[i] != 1) {
      ctx.fail("dimension " + std::to_string(i) + " of " + to_string(in.dims()) + " is to be squeezed but is not 1");
    }
  }
  copy_elements(ctx.output(0, in.dtype(), dims), 0, in, 0, in.size());
}

void unsqueeze_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const auto axes = axes_input(ctx);
  Shape dims;
  auto next = in.dims().begin();
  for (const bool inserted : marked(ctx, axes, in.dims().size() + axes.size())) {
    dims.push_back(inserted ? 1 : *next++);
  }
  copy_elements(ctx.output(0, in.dtype(), dims), 0, in, 0, in.size());
}

}  // namespace

void squeeze_references(opset::ReferenceTable& table) {
  table.add(Squeeze, squeeze_ref, 13);
  table.add(Unsqueeze, unsqueeze_ref, 13);
}

}  // namespace norn::ops
