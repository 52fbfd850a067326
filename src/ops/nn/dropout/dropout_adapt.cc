// Version steps of Dropout.
//
// A node of version 6 that trains (is_test is 0, its default) has no like before version 12, so it goes there at once.
// A mask of the input's type and a bool mask become each other through Cast.
#include "ops/nn/dropout/dropout.h"
#include "ops/tensor/cast/cast.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using transform::NodeEdit;

void cast_mask(NodeEdit& edit, DataType to) {
  if (!edit.wants_output(1)) return;
  if (to == DataType::Undefined) {
    edit.cannot("the mask is of the input's type before version 10, and that type is not known",
                "declare the type of the model's inputs");
  }
  edit.wrap_output(1, Cast, 9, {transform::make_attr("to", static_cast<std::int64_t>(to))});
}

Tensor scalar(float value) {
  Tensor t(DataType::Float, {});
  *t.as_mutable<float>() = value;
  return t;
}
Tensor scalar(bool value) {
  Tensor t(DataType::Bool, {});
  *t.as_mutable<std::uint8_t>() = value;
  return t;
}

void up_1_6(NodeEdit& edit) { edit.remove_attr("consumed_inputs"); }
void down_6_1(NodeEdit&) {}  // consumed_inputs is optional

void up_6_7(NodeEdit& edit) {
  const bool training = edit.attrs().i("is_test") == 0;
  const float ratio = edit.attrs().f("ratio");
  edit.remove_attr("is_test");
  if (!training) return;
  cast_mask(edit, edit.input_type(0).elem);
  edit.remove_attr("ratio");
  edit.set_input(1, scalar(ratio));
  edit.set_input(2, scalar(true));
  edit.become(Dropout, 12);
}
void down_7_6(NodeEdit& edit) { edit.set_attr("is_test", std::int64_t{1}); }

void up_7_10(NodeEdit& edit) { cast_mask(edit, edit.input_type(0).elem); }
void down_10_7(NodeEdit& edit) { cast_mask(edit, DataType::Bool); }

void up_10_12(NodeEdit& edit) {
  if (!edit.attrs().has("ratio")) return;
  const float ratio = edit.attrs().f("ratio");
  edit.remove_attr("ratio");
  edit.set_input(1, scalar(ratio));
}

// Without training the ratio means nothing, so one that is computed is no obstacle.
void down_12_10(NodeEdit& edit) {
  if (edit.has_input(2)) {
    const Tensor* training = edit.input_constant(2);
    if (!training || training->size() != 1 || *training->as<std::uint8_t>() != 0) {
      edit.cannot("versions 7 and 10 have no training mode", "give training_mode the constant false");
    }
  }
  const Tensor* ratio = edit.input_constant(1);
  if (ratio && ratio->dtype() == DataType::Float && ratio->size() == 1) edit.set_attr("ratio", *ratio->as<float>());
  while (edit.input_count() > 1) edit.drop_input(edit.input_count() - 1);
  edit.remove_attr("seed");
}

}  // namespace

void dropout_steps(transform::StepTable& table) {
  table.add(Dropout, 1, 6, up_1_6);
  table.add(Dropout, 6, 1, down_6_1);
  table.add(Dropout, 6, 7, up_6_7);
  table.add(Dropout, 7, 6, down_7_6);
  table.add(Dropout, 7, 10, up_7_10);
  table.add(Dropout, 10, 7, down_10_7);
  table.add(Dropout, 10, 12, up_10_12);
  table.add(Dropout, 12, 10, down_12_10);
}

}  // namespace norn::ops
