// Version steps of the reductions: the axes move from attribute to input and back; integers leave the logarithmic ones.
#include "ops/reduction/reduce/reduce.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/identity/identity.h"
#include "opset/schema.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using transform::NodeEdit;

void negative_axes_allowed(NodeEdit&) {}

void count_axes_from_front(NodeEdit& edit) {
  auto axes = edit.attrs().find_ints("axes");
  if (!axes) return;
  bool changed = false;
  const auto rank = edit.input_rank(0);
  for (std::int64_t& axis : *axes) {
    if (axis >= 0) continue;
    if (!rank) edit.cannot("an axis is negative, which needs a known rank to be counted from the front");
    axis += *rank;
    changed = true;
  }
  if (changed) edit.set_attr("axes", *axes);
}

void axes_to_input(NodeEdit& edit) {
  const auto axes = edit.attrs().find_ints("axes");
  edit.remove_attr("axes");
  if (axes && !axes->empty()) edit.set_input_ints(1, *axes);
}

void axes_to_attribute(NodeEdit& edit, bool identity) {
  std::vector<std::int64_t> axes;
  if (edit.has_input(1)) {
    const Tensor* known = edit.input_constant(1);
    if (!known)
      edit.cannot("the axes are computed, but have to be an attribute", "fold the constants of the model first");
    const std::int64_t* values = known->as<std::int64_t>();
    axes.assign(values, values + known->size());
  }
  if (edit.input_count() > 1) edit.drop_input(1);
  const bool noop = axes.empty() && edit.attrs().i("noop_with_empty_axes") != 0;
  edit.remove_attr("noop_with_empty_axes");
  if (noop) {
    if (!identity) edit.cannot("noop_with_empty_axes is set, which the older version cannot express");
    edit.remove_attr("keepdims");
    return edit.become(Identity, 13);
  }
  if (!axes.empty()) edit.set_attr("axes", axes);
}
void plain_axes_to_attribute(NodeEdit& edit) { axes_to_attribute(edit, true); }
void composite_axes_to_attribute(NodeEdit& edit) { axes_to_attribute(edit, false); }

// Integers are computed in double and truncated, as they were before.
void integers_through_double(NodeEdit& edit) {
  const DataType type = edit.input_type(0).elem;
  if (type == DataType::Undefined) edit.cannot("the element type is not known; integers are no longer allowed");
  if ((opset::types::kFloats >> static_cast<unsigned>(type)) & 1u) return;
  edit.wrap_input(0, Cast, 13, {transform::make_attr("to", static_cast<std::int64_t>(DataType::Double))});
  edit.wrap_output(0, Cast, 13, {transform::make_attr("to", static_cast<std::int64_t>(type))});
}

void more_types(NodeEdit&) {}

}  // namespace

void reduce_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&ReduceMean, &ReduceSum, &ReduceMax, &ReduceMin, &ReduceProd, &ReduceL1, &ReduceL2,
                                    &ReduceLogSum, &ReduceLogSumExp, &ReduceSumSquare}) {
    table.add(*op, 1, 11, negative_axes_allowed);
    table.add(*op, 11, 1, count_axes_from_front);
    const int input = op == &ReduceSum ? 13 : 18;
    const int attribute = op == &ReduceSum ? 11 : 13;
    const bool plain =
        op == &ReduceMean || op == &ReduceSum || op == &ReduceMax || op == &ReduceMin || op == &ReduceProd;
    table.add(*op, attribute, input, axes_to_input);
    table.add(*op, input, attribute, plain ? plain_axes_to_attribute : composite_axes_to_attribute);
  }
  for (const opset::Operator* op : {&ReduceLogSum, &ReduceLogSumExp}) {
    table.add(*op, 18, 28, integers_through_double);
    table.add(*op, 28, 18, more_types);
    table.keeps(*op, 18, "an element type that is not known; version 28 takes no integers");
  }
}

}  // namespace norn::ops
