// Version steps of Resize. Version 10 maps coordinates as `asymmetric` does, and takes the nearest element below where
// an axis grows and above where it shrinks, so its scales have to be known for a step.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "ops/tensor/resize/resize.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace resize_adapt_cc {
namespace {

using namespace transform;

constexpr std::int64_t kNone = 0;
Tensor no_floats() { return Tensor(DataType::Float, {kNone}); }

bool is_empty(const NodeEdit& edit, int input) {
  if (!edit.has_input(input)) return true;
  const Tensor* constant = edit.input_constant(input);
  if (constant) return constant->size() == 0;
  const auto& shape = edit.input_type(input).shape;
  return shape && shape->size() == 1 && (*shape)[0] == opset::DimExpr(0);
}

std::optional<std::vector<float>> known_scales(const NodeEdit& edit, int input) {
  const Tensor* t = edit.input_constant(input);
  if (!t || t->dtype() != DataType::Float) return {};
  return std::vector<float>(t->as<float>(), t->as<float>() + t->size());
}
bool all_grow(const std::vector<float>& scales) {
  return std::all_of(scales.begin(), scales.end(), [](float s) { return s >= 1; });
}
bool all_shrink(const std::vector<float>& scales) {
  return std::all_of(scales.begin(), scales.end(), [](float s) { return s <= 1; });
}

void resize_10_11(NodeEdit& edit) {
  if (edit.attrs().s("mode") == "nearest") {
    const auto scales = known_scales(edit, 1);
    if (!scales) edit.cannot("which element is the nearest depends on scales, which are computed");
    if (!all_grow(*scales) && !all_shrink(*scales)) edit.cannot("some axes grow and others shrink");
    edit.set_attr("nearest_mode", std::string(all_grow(*scales) ? "floor" : "ceil"));
  }
  edit.set_attr("coordinate_transformation_mode", std::string("asymmetric"));
  edit.insert_input(1, no_floats());
}

void resize_11_10(NodeEdit& edit) {
  const std::string mode = edit.attrs().s("mode");
  if (is_empty(edit, 2)) edit.cannot("the size is given by sizes, and version 10 has scales only");
  if (edit.attrs().s("coordinate_transformation_mode") != "asymmetric" || mode == "cubic" ||
      edit.attrs().flag("exclude_outside")) {
    edit.cannot("version 10 has the modes nearest and linear, with asymmetric coordinates, only");
  }
  if (mode == "nearest") {
    const std::string nearest = edit.attrs().s("nearest_mode");
    const auto scales = known_scales(edit, 2);
    if (!scales || !((nearest == "floor" && all_grow(*scales)) || (nearest == "ceil" && all_shrink(*scales)))) {
      edit.cannot("version 10 rounds down where axes grow, and up where they shrink");
    }
  }
  for (const char* name :
       {"coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value", "nearest_mode"}) {
    edit.remove_attr(name);
  }
  while (edit.input_count() > 3) edit.drop_input(3);
  edit.drop_input(1);
}

void resize_11_13(NodeEdit& edit) {
  if (edit.attrs().s("coordinate_transformation_mode") == "tf_half_pixel_for_nn") {
    edit.cannot("the coordinates tf_half_pixel_for_nn left with version 13");
  }
}

void resize_13_11(NodeEdit& edit) {
  if (!edit.has_input(1)) edit.set_input(1, no_floats());
  if (!edit.has_input(2)) edit.set_input(2, no_floats());
}

void resize_18_13(NodeEdit& edit) {
  drop_flag(edit, "antialias");
  if (edit.attrs().s("keep_aspect_ratio_policy") != "stretch" && is_empty(edit, 2)) {
    edit.cannot("keep_aspect_ratio_policy came with version 18");
  }
  edit.remove_attr("keep_aspect_ratio_policy");
  const auto axes = edit.attrs().find_ints("axes");
  edit.remove_attr("axes");
  if (!axes || axes->empty()) return;
  const auto rank = edit.input_rank(0);
  const auto scales = known_scales(edit, 2);
  if (!rank || !scales || scales->size() != axes->size() || !is_empty(edit, 1)) {
    edit.cannot(
        "axes came with version 18, and the node can do without them only where it has constant scales and no roi");
  }
  Tensor all(DataType::Float, {*rank});
  std::fill_n(all.as_mutable<float>(), *rank, 1.0F);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::int64_t axis = (*axes)[i] + ((*axes)[i] < 0 ? *rank : 0);
    if (axis < 0 || axis >= *rank) edit.cannot("an axis lies outside of the input's " + std::to_string(*rank));
    all.as_mutable<float>()[axis] = (*scales)[i];
  }
  edit.set_input(2, all);
}

void resize_19_18(NodeEdit& edit) {
  if (edit.attrs().s("coordinate_transformation_mode") == "half_pixel_symmetric") {
    edit.cannot("the coordinates half_pixel_symmetric came with version 19");
  }
}

}  // namespace
}  // namespace resize_adapt_cc

void resize_steps(StepTable& table) {
  table.add(Resize, 10, 11, resize_10_11, resize_11_10);
  table.add(Resize, 11, 13, resize_11_13, resize_13_11);
  table.add(Resize, 13, 18, unchanged, resize_18_13);
  table.add(Resize, 18, 19, unchanged, resize_19_18);
  table.keeps(Resize, 10, "the nearest element depends on scales that are computed, or that both grow and shrink");
  table.keeps(Resize, 11, "the coordinates tf_half_pixel_for_nn");
}

}  // namespace norn::ops
