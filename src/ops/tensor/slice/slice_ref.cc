// Slice: every output row is a strided run of the input; strides are negative where the slice goes backwards.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/slice/slice.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

struct Range {
  std::int64_t start = 0, step = 1, size = 0;
};

Range range(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size == 0) return {};
  step = std::max(step, -std::numeric_limits<std::int64_t>::max());
  if (start < 0) start += size;
  if (end < 0) end += size;
  std::int64_t n = 0;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, size);
    end = std::clamp<std::int64_t>(end, 0, size);
    if (end > start) n = (end - start - 1) / step + 1;
  } else {
    start = std::clamp<std::int64_t>(start, 0, size - 1);
    end = std::clamp<std::int64_t>(end, -1, size - 1);
    if (start > end) n = (start - end - 1) / -step + 1;
  }
  if (n <= 1) step = 1;  // it may be too large to be multiplied, and nothing steps
  return {n == 0 ? 0 : start, step, n};
}

std::vector<std::int64_t> list(opset::ReferenceContext& ctx, int i, std::string_view name, std::size_t count) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 1 || t.size() != static_cast<std::int64_t>(count)) {
    ctx.fail(std::string(name) + " has shape " + to_string(t.dims()) + ", but [" + std::to_string(count) +
             "] is required, as for starts");
  }
  return to_ints(t);
}

void slice_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const auto count = static_cast<std::size_t>(ctx.input(1).size());
  const auto starts = list(ctx, 1, "starts", count), ends = list(ctx, 2, "ends", count);
  std::vector<std::int64_t> axes(count), steps(count, 1);
  std::iota(axes.begin(), axes.end(), 0);
  if (ctx.has_input(3)) axes = list(ctx, 3, "axes", count);
  if (ctx.has_input(4)) steps = list(ctx, 4, "steps", count);

  std::vector<Range> ranges(in.dims().size());
  for (std::size_t d = 0; d < ranges.size(); ++d) ranges[d].size = in.dims()[d];
  std::vector<bool> seen(ranges.size(), false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t a = axes[i] < 0 ? axes[i] + in.rank() : axes[i];
    if (a < 0 || a >= in.rank()) {
      ctx.fail("axis " + std::to_string(axes[i]) + " is outside the input of shape " + to_string(in.dims()));
    }
    const auto axis = static_cast<std::size_t>(a);
    if (seen[axis]) ctx.fail("axis " + std::to_string(a) + " is sliced twice");
    if (steps[i] == 0) ctx.fail("the step along axis " + std::to_string(a) + " is 0");
    seen[axis] = true;
    ranges[axis] = range(in.dims()[axis], starts[i], ends[i], steps[i]);
  }

  Shape dims;
  for (const Range& r : ranges) dims.push_back(r.size);
  Tensor& out = ctx.output(0, in.dtype(), dims);
  if (out.size() == 0) return;
  if (dims.empty()) return copy_elements(out, 0, in, 0, 1);
  std::vector<std::int64_t> strides = dense_strides(in.dims());
  std::int64_t base = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    base += ranges[d].start * strides[d];
    strides[d] *= ranges[d].step;
  }
  const std::int64_t row = dims.back(), step = strides.back();
  dims.pop_back();
  strides.pop_back();
  std::int64_t to = 0;
  for (Odometer o(dims, {strides}); !o.done(); o.next(), to += row) {
    copy_elements(out, to, in, base + o.offset(0), row, step);
  }
}

}  // namespace

void slice_references(opset::ReferenceTable& table) { table.add(Slice, slice_ref, 10); }

}  // namespace norn::ops
