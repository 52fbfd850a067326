// Constant: gives a copy of the attribute's tensor, so that nothing writes into the document.
//
// External data is refused with NotImplemented, which inference takes for "unknown here": who loads the model turns
// such a node into a constant, as only the loader knows the model's folder.
#include "ir/tensor_data.h"
#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/generator/constant/constant.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace constant_ref_cc {
namespace {

void constant_ref(opset::ReferenceContext& ctx) {
  const ir::Tensor* stored = ctx.attrs().tensor("value");
  if (stored && stored->data_location == ir::kDataLocationExternal) {
    throw Error(ErrorCode::NotImplemented, "the constant's data is in an external file", ir::describe(*stored),
                "load the model from its path instead of from bytes");
  }
  const Tensor value = constant_value(ctx.attrs());
  copy_elements(ctx.output(0, value.dtype(), value.dims()), 0, value, 0, value.size());
}

}  // namespace
}  // namespace constant_ref_cc

void constant_references(opset::ReferenceTable& table) { table.add(Constant, constant_ref); }

}  // namespace norn::ops
