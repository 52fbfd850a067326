// Version steps of BatchNormalization. The mode is carried from is_test over the number of outputs to training_mode.
// Statistics per activation (spatial = 0) become a flattened X where its shape is known well enough to restore it.
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/flatten/flatten.h"
#include "ops/tensor/reshape/reshape.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace batch_normalization_adapt_cc {
namespace {

using namespace transform;

bool wants_statistics(const NodeEdit& edit) {
  for (int o = 1; o < edit.output_count(); ++o) {
    if (edit.wants_output(o)) return true;
  }
  return false;
}

// X, scale and B are not overwritten; the running mean and variance are.
void write_consumed_inputs(NodeEdit& edit) {
  edit.set_attr("consumed_inputs", std::vector<std::int64_t>{0, 0, 0, 1, 1});
}

void drop_test_mode(NodeEdit& edit) {
  if (edit.attrs().i("is_test") != 0 && wants_statistics(edit)) {
    edit.cannot("is_test asks for the given statistics, the outputs for new ones");
  }
  edit.remove_attr("is_test");
}

void write_test_mode(NodeEdit& edit) {
  edit.set_attr("is_test", static_cast<std::int64_t>(wants_statistics(edit) ? 0 : 1));
}

void drop_spatial(NodeEdit& edit) {
  const bool spatial = edit.attrs().flag("spatial");
  edit.remove_attr("spatial");
  if (spatial) return;
  const auto& x = edit.input_type(0).shape;
  if (!x || x->empty()) edit.cannot("spatial is 0 and the rank of X is not known");
  if (x->size() <= 2) return;
  if (wants_statistics(edit)) edit.cannot("spatial is 0 and the statistics, whose shape would change, are outputs");
  std::vector<std::int64_t> restored{0};
  int unknown = 0;
  for (std::size_t d = 1; d < x->size(); ++d) {
    const opset::DimExpr& size = (*x)[d];
    unknown += size.is_constant() ? 0 : 1;
    restored.push_back(size.is_constant() ? size.constant() : -1);
    if (restored.back() == 0) edit.cannot("spatial is 0 and X is empty");
  }
  if (unknown > 1) edit.cannot("spatial is 0 and several sizes of X are not known");
  const auto shape = [](const std::vector<std::int64_t>& values) {
    Tensor t(DataType::Int64, {static_cast<std::int64_t>(values.size())});
    std::copy(values.begin(), values.end(), t.as_mutable<std::int64_t>());
    return t;
  };
  edit.wrap_input(0, Flatten, 9, {make_attr("axis", std::int64_t{1})});
  for (int i = 1; i < 5; ++i) edit.wrap_input(i, Reshape, 5, {}, {shape({-1})});
  edit.wrap_output(0, Reshape, 5, {}, {shape(restored)});
}

void training_mode_from_outputs(NodeEdit& edit) {
  if (edit.wants_output(3) || edit.wants_output(4)) {
    edit.cannot("the outputs saved_mean and saved_var went with version 14");
  }
  const bool training = wants_statistics(edit);
  while (edit.output_count() > 3) edit.drop_output(edit.output_count() - 1);
  if (training) edit.set_attr("training_mode", std::int64_t{1});
}

void training_mode_to_outputs(NodeEdit& edit) {
  const bool training = edit.attrs().flag("training_mode");
  if (training && !wants_statistics(edit)) {
    edit.cannot("training_mode is set, which in version 9 the outputs mean and var stand for, but they are left out",
                "give the outputs running_mean and running_var names");
  }
  const DataType x = edit.input_type(0).elem, mean = edit.input_type(3).elem;
  if (x != mean) edit.cannot("X and the statistics differ in type, or their types are not known");
  edit.remove_attr("training_mode");
}

void require_one_type(NodeEdit& edit) {
  const DataType x = edit.input_type(0).elem, scale = edit.input_type(1).elem;
  if (x != scale) edit.cannot("X and scale differ in type, or their types are not known");
}

}  // namespace
}  // namespace batch_normalization_adapt_cc

void batch_normalization_steps(StepTable& table) {
  table.add(BatchNormalization, 1, 6, drop_consumed_inputs, write_consumed_inputs);
  table.add(BatchNormalization, 6, 7, drop_test_mode, write_test_mode);
  table.add(BatchNormalization, 7, 9, drop_spatial, unchanged);
  table.add(BatchNormalization, 9, 14, training_mode_from_outputs, training_mode_to_outputs);
  table.add(BatchNormalization, 14, 15, unchanged, require_one_type);
  table.keeps(BatchNormalization, 6, "is_test together with outputs of statistics contradicts itself");
  table.keeps(BatchNormalization, 7, "spatial = 0 with an X whose shape is not known, or with statistics as outputs");
  table.keeps(BatchNormalization, 9, "the outputs saved_mean and saved_var have no successor");
}

}  // namespace norn::ops
