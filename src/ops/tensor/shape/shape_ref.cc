// Shape and Size read nothing of their input but its dimensions.
#include <algorithm>

#include "ops/tensor/shape/shape.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

std::int64_t clamp_axis(std::int64_t axis, std::int64_t rank) {
  return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
}

void shape_ref(opset::ReferenceContext& ctx) {
  const auto& dims = ctx.input(0).dims();
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::int64_t first = 0, last = rank;
  if (ctx.version() >= 15) {
    first = clamp_axis(ctx.attrs().i("start"), rank);
    if (auto end = ctx.attrs().find_i("end")) last = clamp_axis(*end, rank);
    last = std::max(first, last);
  }
  Tensor& out = ctx.output(0, DataType::Int64, {last - first});
  std::copy(dims.begin() + first, dims.begin() + last, out.as_mutable<std::int64_t>());
}

void size_ref(opset::ReferenceContext& ctx) {
  ctx.output(0, DataType::Int64, {}).as_mutable<std::int64_t>()[0] = ctx.input(0).size();
}

}  // namespace

void shape_references(opset::ReferenceTable& table) {
  table.add(Shape, shape_ref);
  table.add(Size, size_ref);
}

}  // namespace norn::ops
