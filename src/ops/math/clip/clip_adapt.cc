// Version steps of Clip: bounds from attributes to inputs and back.
//
// An absent bound stays absent both ways. All versions give it the same words, the limits of the type; version 6's
// default of the largest float is that limit for float and must not bound a tensor of doubles.
#include <cmath>
#include <optional>

#include "base/number.h"
#include "ops/math/clip/clip.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using transform::NodeEdit;

Tensor scalar(NodeEdit& edit, DataType type, float value) {
  Tensor t(type, {});
  if (type == DataType::Float)
    *t.as_mutable<float>() = value;
  else if (type == DataType::Double)
    *t.as_mutable<double>() = value;
  else if (type == DataType::Float16)
    *t.as_mutable<std::uint16_t>() = base::float_to_half(value);
  else
    edit.cannot("the bounds become inputs in version 11, and the element type they need is not known",
                "declare the type of the model's inputs");
  return t;
}

std::optional<float> exact_float(const Tensor& t) {
  if (t.size() != 1) return {};
  switch (t.dtype()) {
    case DataType::Float: return *t.as<float>();
    case DataType::Float16: return base::half_to_float(*t.as<std::uint16_t>());
    case DataType::Double: {
      const double value = *t.as<double>();
      const auto narrow = static_cast<float>(value);
      if (narrow != value && !std::isnan(value)) return {};
      return narrow;
    }
    default: return {};
  }
}

void up_1_6(NodeEdit& edit) { edit.remove_attr("consumed_inputs"); }
void down_6_1(NodeEdit&) {}  // consumed_inputs is optional

void up_6_11(NodeEdit& edit) {
  const char* const names[] = {"min", "max"};
  std::optional<float> bounds[2];
  for (int i = 0; i < 2; ++i) {
    if (edit.attrs().has(names[i])) bounds[i] = edit.attrs().f(names[i]);
  }
  DataType type = edit.input_type(0).elem;
  if (type == DataType::Undefined) type = edit.output_type(0).elem;
  for (int i = 0; i < 2; ++i) {
    if (!bounds[i]) continue;
    edit.remove_attr(names[i]);
    edit.set_input(1 + i, scalar(edit, type, *bounds[i]));
  }
}

void down_11_6(NodeEdit& edit) {
  const char* const names[] = {"min", "max"};
  for (int i = 2; i >= 1; --i) {
    if (edit.has_input(i)) {
      const Tensor* constant = edit.input_constant(i);
      if (!constant)
        edit.cannot(std::string(names[i - 1]) + " is an attribute before version 11, but is computed here");
      const std::optional<float> value = exact_float(*constant);
      if (!value)
        edit.cannot(std::string(names[i - 1]) + " is a float attribute before version 11 and cannot hold this value");
      edit.set_attr(names[i - 1], *value);
    }
    if (i < edit.input_count()) edit.drop_input(i);
  }
}

}  // namespace

void clip_steps(transform::StepTable& table) {
  table.add(Clip, 1, 6, up_1_6);
  table.add(Clip, 6, 1, down_6_1);
  table.add(Clip, 6, 11, up_6_11);
  table.add(Clip, 11, 6, down_11_6);
}

}  // namespace norn::ops
