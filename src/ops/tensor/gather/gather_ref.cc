// Gather: every index is held against the axis before anything is copied.
#include <string>

#include "ops/common/elements.h"
#include "ops/tensor/gather/gather.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void gather_ref(opset::ReferenceContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::int64_t given = ctx.attrs().i("axis");
  const std::int64_t axis = given < 0 ? given + data.rank() : given;
  if (axis < 0 || axis >= data.rank()) {
    ctx.fail("axis " + std::to_string(given) + " is outside the data's shape " + to_string(data.dims()));
  }
  const auto at_axis = data.dims().begin() + axis;
  const std::int64_t size = *at_axis;
  auto picks = to_ints(indices);
  for (std::int64_t& p : picks) {
    const std::int64_t index = p;
    if (p < 0) p += size;
    if (p < 0 || p >= size) {
      ctx.fail("index " + std::to_string(index) + " is outside [" + std::to_string(-size) + ", " +
               std::to_string(size) + "), the range of axis " + std::to_string(axis));
    }
  }
  Shape dims(data.dims().begin(), at_axis);
  dims.insert(dims.end(), indices.dims().begin(), indices.dims().end());
  dims.insert(dims.end(), at_axis + 1, data.dims().end());
  Tensor& out = ctx.output(0, data.dtype(), dims);
  if (out.size() == 0) return;
  const std::int64_t outer = element_count(Shape(data.dims().begin(), at_axis));
  const std::int64_t block = element_count(Shape(at_axis + 1, data.dims().end()));
  std::int64_t to = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t p : picks) {
      copy_elements(out, to, data, (o * size + p) * block, block);
      to += block;
    }
  }
}

}  // namespace

void gather_references(opset::ReferenceTable& table) { table.add(Gather, gather_ref); }

}  // namespace norn::ops
