// Constant: every later spelling is a dense `value` in the earlier version.
#include "ops/generator/constant/constant.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

void spell_as_value(transform::NodeEdit& edit, std::span<const std::string_view> names) {
  const opset::Attrs attrs = edit.attrs();
  for (const std::string_view name : names) {
    if (!attrs.has(name)) continue;
    const Tensor value = constant_value(attrs);
    edit.remove_attr(name);
    edit.set_attr("value", value);
    return;
  }
}

// The new attributes are alternatives to `value`; a node that has it stays.
void up(transform::NodeEdit&) {}

void down_11_9(transform::NodeEdit& edit) {
  constexpr std::string_view kNames[] = {"sparse_value"};
  spell_as_value(edit, kNames);
}

void down_12_11(transform::NodeEdit& edit) {
  constexpr std::string_view kNames[] = {"value_float", "value_floats", "value_int",
                                         "value_ints",  "value_string", "value_strings"};
  spell_as_value(edit, kNames);
}

}  // namespace

void constant_steps(transform::StepTable& table) {
  table.add(Constant, 9, 11, up);
  table.add(Constant, 11, 9, down_11_9);
  table.add(Constant, 11, 12, up);
  table.add(Constant, 12, 11, down_12_11);
}

}  // namespace norn::ops
