// Gather 11 put negative indices into words. Going down, constant ones are counted from the front; computed indices are
// left as they are, since runtimes of earlier opsets count negative ones from the end as well.
#include <string>

#include "ops/tensor/gather/gather.h"
#include "opset/value_type.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace gather_adapt_cc {
namespace {

using namespace transform;

void count_indices_from_front(NodeEdit& edit) {
  const Tensor* indices = edit.input_constant(1);
  if (!indices) return;
  const bool wide = indices->dtype() == DataType::Int64;
  Tensor changed = indices->clone();
  bool any = false;
  for (std::int64_t k = 0; k < indices->size(); ++k) {
    const std::int64_t index = wide ? indices->as<std::int64_t>()[k] : indices->as<std::int32_t>()[k];
    if (index >= 0) continue;
    const auto size = size_along_axis(edit);
    if (!size) edit.cannot("an index is negative and the data's shape is unknown");
    if (!size->is_constant())
      edit.cannot("index " + std::to_string(index) + " counts from the end of a dimension of unknown size");
    const std::int64_t from_front = index + size->constant();
    if (wide)
      changed.as_mutable<std::int64_t>()[k] = from_front;
    else
      changed.as_mutable<std::int32_t>()[k] = static_cast<std::int32_t>(from_front);
    any = true;
  }
  if (any) edit.set_input(1, changed);
}

}  // namespace
}  // namespace gather_adapt_cc

void gather_steps(StepTable& table) { table.add(Gather, 1, 11, unchanged, count_indices_from_front); }

}  // namespace norn::ops
