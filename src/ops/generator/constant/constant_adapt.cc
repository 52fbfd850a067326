// Constant: every later spelling is a dense `value` in the earlier version.
#include "ops/generator/constant/constant.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace constant_adapt_cc {
namespace {

using namespace transform;

void spell_as_value(NodeEdit& edit, std::span<const std::string_view> names) {
  const opset::Attrs attrs = edit.attrs();
  for (const std::string_view name : names) {
    if (!attrs.has(name)) continue;
    const Tensor value = constant_value(attrs);
    edit.remove_attr(name);
    edit.set_attr("value", value);
    return;
  }
}

void sparse_to_dense(NodeEdit& edit) {
  constexpr std::string_view kNames[] = {"sparse_value"};
  spell_as_value(edit, kNames);
}

void values_to_dense(NodeEdit& edit) {
  constexpr std::string_view kNames[] = {"value_float", "value_floats", "value_int",
                                         "value_ints",  "value_string", "value_strings"};
  spell_as_value(edit, kNames);
}

}  // namespace
}  // namespace constant_adapt_cc

void constant_steps(StepTable& table) {
  table.add(Constant, 9, 11, unchanged, sparse_to_dense);
  table.add(Constant, 11, 12, unchanged, values_to_dense);
}

}  // namespace norn::ops
