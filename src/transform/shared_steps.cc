#include "transform/shared_steps.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "opset/registry.h"

namespace norn::transform {
namespace {

using opset::DimExpr;
using opset::Dims;

// The rank of the first input that has a known one: the operators whose axes are counted have inputs of one rank.
std::int64_t known_rank(NodeEdit& edit) {
  for (int i = 0; i < edit.input_count(); ++i) {
    if (const auto rank = edit.input_rank(i)) return *rank;
  }
  edit.cannot("an axis is negative, which needs a known rank to be counted from the front");
}

// Adds (Unsqueeze) or removes (Squeeze) dimensions of size 1 of B.
void change_ones(NodeEdit& edit, std::string_view op_name, const std::vector<std::int64_t>& axes, const Shape& dims) {
  if (const Tensor* b = edit.input_constant(1)) {
    edit.set_input(1, b->reshaped(dims));
    return;
  }
  const opset::Operator* op = opset::find_operator("", op_name);
  if (!op) edit.cannot("B needs " + std::string(op_name) + ", which this build does not have");
  edit.wrap_input(1, *op, 1, {transform::make_attr("axes", axes)});
}

}  // namespace

void unchanged(NodeEdit&) {}

void drop_consumed_inputs(NodeEdit& edit) { edit.remove_attr("consumed_inputs"); }

void drop_flag(NodeEdit& edit, std::string_view name) {
  if (edit.attrs().flag(name)) edit.cannot(std::string(name) + " is set, which the older version does not have");
  edit.remove_attr(name);
}

void drop_dilations(NodeEdit& edit) {
  for (std::int64_t d : edit.attrs().find_ints("dilations").value_or(std::vector<std::int64_t>{})) {
    if (d != 1) edit.cannot("the window is dilated, which the older version cannot express");
  }
  edit.remove_attr("dilations");
}

void float_to_int(NodeEdit& edit, std::string_view name) {
  if (!edit.attrs().has(name)) return;
  const float value = edit.attrs().f(name);
  if (!(std::fabs(value) < 0x1p63F) || std::trunc(value) != value) {
    edit.cannot(base::quoted(name) + " is not a whole number, which the newer version requires");
  }
  edit.remove_attr(name);
  edit.set_attr(name, static_cast<std::int64_t>(value));
}

void int_to_float(NodeEdit& edit, std::string_view name) {
  if (!edit.attrs().has(name)) return;
  const std::int64_t value = edit.attrs().i(name);
  const auto number = static_cast<float>(value);
  if (number >= 0x1p63F || static_cast<std::int64_t>(number) != value) {
    edit.cannot(base::quoted(name) + " is a float in the older version, which cannot hold " + std::to_string(value));
  }
  edit.remove_attr(name);
  edit.set_attr(name, number);
}

void axis_from_front(NodeEdit& edit) {
  const std::int64_t axis = edit.attrs().i("axis");
  if (axis < 0) edit.set_attr("axis", axis + known_rank(edit));
}

void axis_of_data_from_front(NodeEdit& edit) { axis_of_data_from_front(edit, 0); }

void axis_of_data_from_front(NodeEdit& edit, std::int64_t new_dims) {
  const auto axis = edit.attrs().find_i("axis");
  if (!axis || *axis >= 0) return;
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("the axis is negative, which needs a known rank to be counted from the front");
  edit.set_attr("axis", *axis + *rank + new_dims);
}

void axes_from_front(NodeEdit& edit) { axes_from_front(edit, 0); }

void axes_from_front(NodeEdit& edit, std::int64_t new_dims) {
  auto axes = edit.attrs().find_ints("axes");
  if (!axes || std::all_of(axes->begin(), axes->end(), [](std::int64_t a) { return a >= 0; })) return;
  const std::int64_t rank = known_rank(edit) + new_dims;
  for (std::int64_t& a : *axes) a += a < 0 ? rank : 0;
  edit.set_attr("axes", *axes);
}

std::optional<DimExpr> size_along_axis(NodeEdit& edit) {
  const auto& shape = edit.input_type(0).shape;
  if (!shape) return {};
  const auto rank = static_cast<std::int64_t>(shape->size());
  std::int64_t axis = edit.attrs().i("axis");
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) edit.cannot("the axis is outside the data's shape");
  return (*shape)[static_cast<std::size_t>(axis)];
}

std::vector<std::int64_t> constant_ints(NodeEdit& edit, int input) {
  const Tensor* t = edit.input_constant(input);
  if (!t) {
    const auto params = edit.attrs().schema().inputs;
    edit.cannot(base::quoted(params[static_cast<std::size_t>(input)].name) +
                    " is computed here, and an attribute in the other version",
                "simplify the model with fixed input sizes so that it becomes a constant");
  }
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < t->size(); ++i) {
    values.push_back(t->dtype() == DataType::Int32 ? t->as<std::int32_t>()[i] : t->as<std::int64_t>()[i]);
  }
  return values;
}

void attr_to_input(NodeEdit& edit, std::string_view name, int input) {
  const auto values = edit.attrs().find_ints(name);
  if (!values) return;
  edit.remove_attr(name);
  edit.set_input_ints(input, *values);
}

void input_to_attr(NodeEdit& edit, int input, std::string_view name) {
  if (!edit.has_input(input)) return;
  const auto values = constant_ints(edit, input);
  for (int i = edit.input_count(); i-- > input;) edit.drop_input(i);
  edit.set_attr(name, values);
}

void set_scalar_input(NodeEdit& edit, int input, float value) {
  DataType type = edit.input_type(0).elem;
  if (type == DataType::Undefined) type = edit.output_type(0).elem;
  Tensor scalar(type == DataType::Undefined ? DataType::Float : type, {});
  switch (type) {
    case DataType::Float: *scalar.as_mutable<float>() = value; break;
    case DataType::Double: *scalar.as_mutable<double>() = value; break;
    case DataType::Float16: *scalar.as_mutable<std::uint16_t>() = base::float_to_half(value); break;
    default:
      edit.cannot("a number becomes an input of the data's element type, which is not known",
                  "declare the type of the model's inputs");
  }
  edit.set_input(input, scalar);
}

float scalar_input(NodeEdit& edit, int input, std::string_view name) {
  const Tensor* t = edit.input_constant(input);
  if (!t) edit.cannot(base::quoted(name) + " is an attribute in the older version, but is computed here");
  if (t->size() == 1 && t->dtype() == DataType::Float) return *t->as<float>();
  if (t->size() == 1 && t->dtype() == DataType::Float16) return base::half_to_float(*t->as<std::uint16_t>());
  if (t->size() == 1 && t->dtype() == DataType::Double) {
    const double value = *t->as<double>();
    const auto narrow = static_cast<float>(value);
    if (narrow == value || std::isnan(value)) return narrow;
  }
  edit.cannot(base::quoted(name) + " is a float attribute in the older version and cannot hold this value");
}

namespace {

std::optional<Dims> dims_of(const NodeEdit& edit, int i) {
  if (edit.input_type(i).has_rank()) return *edit.input_type(i).shape;
  const Tensor* constant = edit.input_constant(i);
  return constant ? std::optional(Dims(constant->dims().begin(), constant->dims().end())) : std::nullopt;
}

// Whether B's dimensions are those at the end of A's, or 1.
bool fits_the_end_of_a(const NodeEdit& edit) {
  const std::optional<Dims> a = dims_of(edit, 0), b = dims_of(edit, 1);
  return a && b && b->size() <= a->size() &&
         std::equal(b->begin(), b->end(), a->end() - static_cast<std::ptrdiff_t>(b->size()),
                    [](const DimExpr& of_b, const DimExpr& of_a) { return of_b == DimExpr(1) || of_b == of_a; });
}

}  // namespace

bool have_one_shape(const NodeEdit& edit, int a, int b) {
  const opset::ValueType &x = edit.input_type(a), &y = edit.input_type(b);
  return x.has_rank() && y.has_rank() && *x.shape == *y.shape;
}

void broadcast_as_numpy(NodeEdit& edit) {
  const auto axis = edit.attrs().find_i("axis");
  const bool broadcasts = edit.attrs().i("broadcast") != 0;
  if (!broadcasts && !have_one_shape(edit, 0, 1))
    edit.cannot("without \"broadcast\" A and B must have the same shape, which is not known of " +
                edit.input_type(0).to_string() + " and " + edit.input_type(1).to_string());
  const auto rank_a = edit.input_rank(0), rank_b = edit.input_rank(1);
  if (broadcasts && !axis && !fits_the_end_of_a(edit))
    edit.cannot("whether B is stretched to A, and not A to B, is only known from the shapes of A and B");
  if (broadcasts && axis) {
    if (!rank_a || !rank_b) edit.cannot("B is placed by \"axis\", which takes known ranks of A and B to express");
    const std::int64_t from = *axis < 0 ? *axis + *rank_a : *axis, ones = *rank_a - from - *rank_b;
    if (from < 0 || ones < 0) edit.cannot("B does not fit into A at axis " + std::to_string(*axis));
    if (ones > 0) {
      Shape dims;
      if (const Tensor* b = edit.input_constant(1)) dims = b->dims();
      dims.resize(dims.size() + static_cast<std::size_t>(ones), 1);
      std::vector<std::int64_t> axes;
      for (std::int64_t i = 0; i < ones; ++i) axes.push_back(*rank_b + i);
      change_ones(edit, "Unsqueeze", axes, dims);
    }
  }
  edit.remove_attr("axis");
  edit.remove_attr("broadcast");
}

void broadcast_by_axis(NodeEdit& edit) {
  const auto &a = edit.input_type(0), &b = edit.input_type(1);
  if (!a.has_rank() || !b.has_rank()) edit.cannot("before opset version 7 broadcasting takes known shapes to express");
  if (*a.shape == *b.shape) return;
  const Dims &x = *a.shape, &y = *b.shape;
  const auto is_one = [](const DimExpr& d) { return d == DimExpr(1); };
  const auto first = static_cast<std::size_t>(std::find_if_not(y.begin(), y.end(), is_one) - y.begin());
  std::size_t last = y.size();
  while (last > first && is_one(y[last - 1])) --last;
  const auto why = [&] {
    edit.cannot("B's shape " + to_string(y) + " is not a run of A's shape " + to_string(x) +
                ", and before opset version 7 nothing else is broadcast");
  };
  // In A's dimensions B stands at [axis, axis + last - first).
  const auto axis = static_cast<std::int64_t>(x.size()) - static_cast<std::int64_t>(y.size() - first);
  if (y.size() > x.size()) why();
  for (std::size_t d = first; d < last; ++d) {
    if (!(x[static_cast<std::size_t>(axis) + d - first] == y[d])) why();
  }
  if (first > 0 || last < y.size()) {
    std::vector<std::int64_t> axes;
    Shape dims;
    for (std::size_t d = 0; d < y.size(); ++d) {
      if (d < first || d >= last) axes.push_back(static_cast<std::int64_t>(d));
    }
    if (const Tensor* constant = edit.input_constant(1)) {
      dims.assign(constant->dims().begin() + static_cast<std::ptrdiff_t>(first),
                  constant->dims().begin() + static_cast<std::ptrdiff_t>(last));
    }
    change_ones(edit, "Squeeze", axes, dims);
  }
  edit.set_attr("broadcast", std::int64_t{1});
  if (last > first && last < y.size()) edit.set_attr("axis", axis);
}

}  // namespace norn::transform
