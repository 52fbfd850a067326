// Pad: `paddings` became `pads` in 2 (and may remove elements), both pads and value became inputs in 11, axes came with
// 18 and mode wrap with 19.
#include <algorithm>
#include <string>
#include <vector>

#include "base/number.h"
#include "ops/tensor/pad/pad.h"
#include "opset/value_type.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

std::vector<std::int64_t> ints_of(const Tensor& t) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < t.size(); ++i) {
    values.push_back(t.dtype() == DataType::Int64 ? t.as<std::int64_t>()[i] : t.as<std::int32_t>()[i]);
  }
  return values;
}

void up_1_2(transform::NodeEdit& edit) {
  const auto pads = edit.attrs().ints("paddings");
  edit.remove_attr("paddings");
  edit.set_attr("pads", pads);
}

void down_2_1(transform::NodeEdit& edit) {
  const auto pads = edit.attrs().ints("pads");
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p < 0; })) {
    edit.cannot("negative pads came with opset 2");
  }
  edit.remove_attr("pads");
  edit.set_attr("paddings", pads);
}

Tensor scalar_of(transform::NodeEdit& edit, float value) {
  const DataType type = edit.input_type(0).elem;
  Tensor tensor(type == DataType::Undefined ? DataType::Float : type, {});
  switch (type) {
    case DataType::Float: tensor.as_mutable<float>()[0] = value; break;
    case DataType::Double: tensor.as_mutable<double>()[0] = value; break;
    case DataType::Float16: tensor.as_mutable<std::uint16_t>()[0] = base::float_to_half(value); break;
    default: edit.cannot("the element type of the data, which the value to fill in needs, is unknown");
  }
  return tensor;
}

void up_2_11(transform::NodeEdit& edit) {
  const auto pads = edit.attrs().ints("pads");
  const float value = edit.attrs().f("value");
  const bool fills = edit.attrs().s("mode") == "constant";
  edit.remove_attr("pads");
  edit.remove_attr("value");
  edit.set_input_ints(1, pads);
  if (fills && value != 0.0f) edit.set_input(2, scalar_of(edit, value));
}

// The one element as a float that stands for exactly the same number.
float exact_float(transform::NodeEdit& edit, const Tensor& t) {
  if (t.size() == 1 && t.dtype() == DataType::Float) return t.as<float>()[0];
  if (t.size() == 1 && t.dtype() == DataType::Float16) return base::half_to_float(t.as<std::uint16_t>()[0]);
  if (t.size() == 1 && t.dtype() == DataType::Double) {
    const double d = t.as<double>()[0];
    const auto f = static_cast<float>(d);
    if (static_cast<double>(f) == d || d != d) return f;
    edit.cannot("before opset 11 the value to fill in is a float attribute, which cannot hold this double exactly");
  }
  edit.cannot("before opset 11 Pad takes float16, float and double only");
}

void down_11_2(transform::NodeEdit& edit) {
  const Tensor* pads = edit.input_constant(1);
  if (!pads) edit.cannot("before opset 11 pads are an attribute, and here they are computed");
  const auto values = ints_of(*pads);
  float fill = 0;
  const bool fills = edit.attrs().s("mode") == "constant";
  if (fills && edit.has_input(2)) {
    const Tensor* value = edit.input_constant(2);
    if (!value) edit.cannot("before opset 11 the value to fill in is an attribute, and here it is computed");
    fill = exact_float(edit, *value);
  }
  for (int i = edit.input_count(); i-- > 1;) edit.drop_input(i);
  edit.set_attr("pads", values);
  if (fill != 0.0f) edit.set_attr("value", fill);
}

// Without axes the versions mean the same.
void up_13_18(transform::NodeEdit&) {}

void down_18_13(transform::NodeEdit& edit) {
  if (!edit.has_input(3)) {
    if (edit.input_count() > 3) edit.drop_input(3);
    return;
  }
  const Tensor* axes = edit.input_constant(3);
  const Tensor* pads = edit.input_constant(1);
  const auto rank = edit.input_rank(0);
  if (!axes || !pads) edit.cannot("axes came with opset 18, and axes or pads are computed");
  if (!rank) edit.cannot("axes came with opset 18, and the data's rank is unknown");
  const auto which = ints_of(*axes), some = ints_of(*pads);
  if (some.size() != 2 * which.size()) edit.cannot("pads and axes do not fit together");
  const auto r = static_cast<std::size_t>(*rank);
  std::vector<std::int64_t> all(2 * r, 0);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const std::int64_t a = which[i] < 0 ? which[i] + *rank : which[i];
    if (a < 0 || a >= *rank) edit.cannot("an axis is outside the data's shape");
    all[static_cast<std::size_t>(a)] = some[i];
    all[r + static_cast<std::size_t>(a)] = some[which.size() + i];
  }
  edit.drop_input(3);
  edit.set_input_ints(1, all);
}

// The modes of version 18 mean the same in 19.
void up_18_19(transform::NodeEdit&) {}

void down_19_18(transform::NodeEdit& edit) {
  if (edit.attrs().s("mode") == "wrap") edit.cannot("mode \"wrap\" came with opset 19");
}

}  // namespace

void pad_steps(transform::StepTable& table) {
  table.add(Pad, 1, 2, up_1_2);
  table.add(Pad, 2, 1, down_2_1);
  table.add(Pad, 2, 11, up_2_11);
  table.add(Pad, 11, 2, down_11_2);
  table.add(Pad, 13, 18, up_13_18);
  table.add(Pad, 18, 13, down_18_13);
  table.add(Pad, 18, 19, up_18_19);
  table.add(Pad, 19, 18, down_19_18);
}

}  // namespace norn::ops
