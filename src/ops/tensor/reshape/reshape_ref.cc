// Reshape: resolves 0 and -1 for concrete sizes as inference does (what was copied is divided out first), then copies.
#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/tensor/reshape/reshape.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

Shape resolve(opset::ReferenceContext& ctx, const Shape& in, Shape target, bool allowzero) {
  const Shape asked = target;
  std::vector<bool> copied(in.size(), false);
  std::ptrdiff_t unknown = -1;
  std::int64_t others = 1;
  bool zero = false;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == -1) {
      if (unknown >= 0) ctx.fail("the shape " + to_string(asked) + " has more than one -1");
      unknown = static_cast<std::ptrdiff_t>(i);
    } else if (target[i] == 0 && !allowzero) {
      if (i >= in.size()) {
        ctx.fail("the shape " + to_string(asked) + " copies dimension " + std::to_string(i) + " of an input of shape " +
                 to_string(in));
      }
      target[i] = in[i];
      copied[i] = true;
    } else if (target[i] < 0) {
      ctx.fail("the shape " + to_string(asked) + " has a size below -1");
    } else {
      zero = zero || target[i] == 0;
      const auto product = base::checked_mul(others, target[i]);
      if (!product) ctx.fail("the shape " + to_string(asked) + " is too large");
      others = *product;
    }
  }
  if (unknown >= 0) {
    if (zero && allowzero) ctx.fail("with allowzero the shape " + to_string(asked) + " cannot have both 0 and -1");
    std::int64_t rest = 1;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (copied[i]) continue;
      const auto product = base::checked_mul(rest, in[i]);  // may overflow beside a 0 that was copied
      if (!product) ctx.fail("cannot reshape " + to_string(in) + ": its other sizes are too large");
      rest = *product;
    }
    if (others == 0) {
      ctx.fail("the size for -1 cannot be told: the other sizes of " + to_string(asked) + " give 0 elements");
    }
    if (rest % others != 0) {
      ctx.fail("cannot reshape " + to_string(in) + " to " + to_string(asked) +
               ": the number of elements is not divisible");
    }
    target[static_cast<std::size_t>(unknown)] = rest / others;
  }
  return target;
}

void reshape_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& wanted = ctx.input(1);
  if (wanted.rank() != 1) ctx.fail("the shape input must have rank 1, not " + to_string(wanted.dims()));
  const bool allowzero = ctx.version() >= 14 && ctx.attrs().i("allowzero") != 0;
  const Shape dims = resolve(ctx, in.dims(), to_ints(wanted), allowzero);
  if (element_count(dims) != in.size()) {
    ctx.fail("cannot reshape " + to_string(in.dims()) + " to " + to_string(dims) + ": " + std::to_string(in.size()) +
             " elements are not " + std::to_string(element_count(dims)));
  }
  copy_elements(ctx.output(0, in.dtype(), dims), 0, in, 0, in.size());
}

}  // namespace

void reshape_references(opset::ReferenceTable& table) { table.add(Reshape, reshape_ref, 5); }

}  // namespace norn::ops
