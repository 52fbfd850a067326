// Transpose: the input is read with permuted strides, a row of the output at a time.
#include <numeric>
#include <string>
#include <vector>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/transpose/transpose.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void transpose_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const auto rank = static_cast<std::size_t>(in.rank());
  std::vector<std::int64_t> perm(rank);
  if (auto given = ctx.attrs().find_ints("perm")) {
    std::vector<bool> seen(rank, false);
    for (const std::int64_t p : *given) {
      if (p < 0 || p >= in.rank() || seen[static_cast<std::size_t>(p)]) ctx.fail("perm is not a permutation");
      seen[static_cast<std::size_t>(p)] = true;
    }
    if (given->size() != rank) {
      ctx.fail("perm has " + std::to_string(given->size()) + " entries, the input has shape " + to_string(in.dims()));
    }
    perm = *given;
  } else {
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  Shape dims;
  for (const std::int64_t p : perm) dims.push_back(in.dims()[static_cast<std::size_t>(p)]);
  Tensor& out = ctx.output(0, in.dtype(), dims);
  if (out.size() == 0) return;
  if (rank == 0) return copy_elements(out, 0, in, 0, 1);
  const auto in_strides = dense_strides(in.dims());
  std::vector<std::int64_t> strides;
  for (const std::int64_t p : perm) strides.push_back(in_strides[static_cast<std::size_t>(p)]);
  const std::int64_t row = dims.back(), step = strides.back();
  dims.pop_back();
  strides.pop_back();
  std::int64_t to = 0;
  for (Odometer o(dims, {strides}); !o.done(); o.next(), to += row) copy_elements(out, to, in, o.offset(0), row, step);
}

}  // namespace

void transpose_references(opset::ReferenceTable& table) { table.add(Transpose, transpose_ref); }

}  // namespace norn::ops
