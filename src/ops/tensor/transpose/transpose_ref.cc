// Transpose: the input read with permuted strides.
#include "ops/tensor/transpose/transpose.h"

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace transpose_ref_cc {
namespace {

void transpose_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const std::vector<std::int64_t> in_strides = dense_strides(in.dims());
  Shape dims;
  std::vector<std::int64_t> strides;
  const auto perm = ctx.require(resolve_transpose(ctx, in.rank()), "perm");
  for (const std::int64_t p : perm) {
    dims.push_back(in.dims()[static_cast<std::size_t>(p)]);
    strides.push_back(in_strides[static_cast<std::size_t>(p)]);
  }
  copy_strided(ctx.output(0, in.dtype(), dims), in, 0, strides);
}

}  // namespace
}  // namespace transpose_ref_cc

void transpose_references(opset::ReferenceTable& table) { table.add(Transpose, transpose_ref); }

}  // namespace norn::ops
