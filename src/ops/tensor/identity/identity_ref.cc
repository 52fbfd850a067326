// Identity copies tensors, whose output memory may be placed; other values share.
#include "ops/common/elements.h"
#include "ops/tensor/identity/identity.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace identity_ref_cc {
namespace {

void identity_ref(opset::ReferenceContext& ctx) {
  const Value& value = ctx.value(0);
  if (!value.is_tensor()) return ctx.set_output(0, value);
  const Tensor& x = value.tensor();
  copy_elements(ctx.output(0, x.dtype(), x.dims()), 0, x, 0, x.size());
}

}  // namespace
}  // namespace identity_ref_cc

void identity_references(opset::ReferenceTable& table) { table.add(Identity, identity_ref); }

}  // namespace norn::ops
