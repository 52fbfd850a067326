// Version steps of Dropout.
//
// A node of version 6 that trains (is_test is 0, its default) has no equivalent before version 12, so it steps there
// directly. A mask of the input's type and a bool mask become each other through Cast.
#include "ops/nn/dropout/dropout.h"
#include "ops/tensor/cast/cast.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace dropout_adapt_cc {
namespace {

using namespace transform;

void cast_mask(NodeEdit& edit, DataType to) {
  if (!edit.wants_output(1)) return;
  if (to == DataType::Undefined) {
    edit.cannot("the mask is of the input's type before version 10, and that type is not known",
                "declare the type of the model's inputs");
  }
  edit.wrap_output(1, Cast, 9, {make_attr("to", static_cast<std::int64_t>(to))});
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

void drop_is_test(NodeEdit& edit) {
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
void write_is_test(NodeEdit& edit) { edit.set_attr("is_test", std::int64_t{1}); }

void mask_of_input_type(NodeEdit& edit) { cast_mask(edit, edit.input_type(0).elem); }
void mask_of_bool(NodeEdit& edit) { cast_mask(edit, DataType::Bool); }

void ratio_to_input(NodeEdit& edit) {
  if (!edit.attrs().has("ratio")) return;
  const float ratio = edit.attrs().f("ratio");
  edit.remove_attr("ratio");
  edit.set_input(1, scalar(ratio));
}

// Without training the ratio has no effect, so it may also be computed.
void ratio_to_attribute(NodeEdit& edit) {
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
}  // namespace dropout_adapt_cc

void dropout_steps(StepTable& table) {
  table.add(Dropout, 1, 6, drop_consumed_inputs, unchanged);
  table.add(Dropout, 6, 7, drop_is_test, write_is_test);
  table.add(Dropout, 7, 10, mask_of_input_type, mask_of_bool);
  table.add(Dropout, 10, 12, ratio_to_input, ratio_to_attribute);
}

}  // namespace norn::ops
