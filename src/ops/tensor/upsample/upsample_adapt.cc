// Version steps of Upsample. The last one gives Resize 10, which means the same.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/tensor/upsample/upsample.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace upsample_adapt_cc {
namespace {

using namespace transform;

void upsample_1_7(NodeEdit& edit) {
  const float height = edit.attrs().f("height_scale"), width = edit.attrs().f("width_scale");
  if (edit.attrs().s("mode") == "bilinear") edit.set_attr("mode", std::string("linear"));
  edit.remove_attr("height_scale");
  edit.remove_attr("width_scale");
  edit.set_attr("scales", std::vector<float>{1, 1, height, width});
}

void upsample_7_1(NodeEdit& edit) {
  const auto scales = edit.attrs().floats("scales");
  if (scales.size() != 4 || scales[0] != 1 || scales[1] != 1) {
    edit.cannot("the older version changes the height and width of images only");
  }
  if (edit.attrs().s("mode") == "linear") edit.set_attr("mode", std::string("bilinear"));
  edit.remove_attr("scales");
  edit.set_attr("height_scale", scales[2]);
  edit.set_attr("width_scale", scales[3]);
}

void upsample_7_9(NodeEdit& edit) {
  const auto scales = edit.attrs().floats("scales");
  edit.remove_attr("scales");
  Tensor t(DataType::Float, {static_cast<std::int64_t>(scales.size())});
  std::copy(scales.begin(), scales.end(), t.as_mutable<float>());
  edit.set_input(1, t);
}

void upsample_9_7(NodeEdit& edit) {
  const Tensor* t = edit.input_constant(1);
  if (!t || t->dtype() != DataType::Float)
    edit.cannot("scales is computed here, and an attribute in the older version");
  const std::vector<float> scales(t->as<float>(), t->as<float>() + t->size());
  edit.drop_input(1);
  edit.set_attr("scales", scales);
}

void upsample_9_10(NodeEdit& edit) { edit.become(Resize, 10); }

}  // namespace
}  // namespace upsample_adapt_cc

void upsample_steps(StepTable& table) {
  table.add(Upsample, 1, 7, upsample_1_7, upsample_7_1);
  table.add(Upsample, 7, 9, upsample_7_9, upsample_9_7);
  table.add(Upsample, 9, 10, upsample_9_10);
}

}  // namespace norn::ops
