// What an optional holds is the value itself; an empty one is the empty Value. It owns its memory: the input's may be a
// run's arena, which is used again.
#include "ops/common/elements.h"
#include "ops/optional/optional/optional.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace optional_ref_cc {
namespace {

void optional_ref(opset::ReferenceContext& ctx) {
  optional_type(ctx);
  if (!ctx.has_input(0)) return ctx.set_output(0, Value());
  const Value& value = ctx.value(0);
  ctx.set_output(0, value.is_tensor() ? Value(value.tensor().clone()) : value);
}

void optional_get_element_ref(opset::ReferenceContext& ctx) {
  const Value& value = ctx.value(0);
  if (value.is_empty()) ctx.fail("the optional is empty", "ask OptionalHasElement first");
  if (!value.is_tensor()) return ctx.set_output(0, value);
  const Tensor& x = value.tensor();
  copy_elements(ctx.output(0, x.dtype(), x.dims()), 0, x, 0, x.size());
}

void optional_has_element_ref(opset::ReferenceContext& ctx) {
  *ctx.output(0, DataType::Bool, {}).as_mutable<std::uint8_t>() = ctx.has_input(0) && !ctx.value(0).is_empty();
}

}  // namespace
}  // namespace optional_ref_cc

void optional_references(opset::ReferenceTable& table) {
  table.add(Optional, optional_ref);
  table.add(OptionalGetElement, optional_get_element_ref);
  table.add(OptionalHasElement, optional_has_element_ref);
}

}  // namespace norn::ops
