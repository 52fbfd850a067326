// What the bodies of normalizations from an axis on share.
#pragma once
#include <string>
#include <vector>

#include "opset/function_body.h"

namespace norn::ops {

// A constant `name` with the axes of X from `axis` (RowNormParams) on: as negative numbers, which need no rank where
// `axis` is one; else, if the rank is not known, counted when it is.
inline void add_normalized_axes(opset::BodyBuilder& b, const std::string& name, std::int64_t axis) {
  if (axis >= 0 && !b.type(0).has_rank()) {
    // `axis` itself is always among them, so that one beyond the rank is refused.
    const std::int64_t first[] = {axis};
    b.ints(name + "_first", first);
    b.scalar(name + "_second", DataType::Int64, static_cast<double>(axis + 1));
    b.scalar(name + "_step", DataType::Int64, 1);
    b.add(name + "_shape = Shape (X) " + name + "_rank = Size (" + name + "_shape)");
    b.add(name + "_later = Range (" + name + "_second, " + name + "_rank, " + name + "_step)");
    b.add(name + " = Concat <axis = 0> (" + name + "_first, " + name + "_later)");
    return;
  }
  if (axis >= 0) axis -= b.rank(0);
  std::vector<std::int64_t> axes;
  for (; axis < 0; ++axis) axes.push_back(axis);
  b.ints(name, axes);
}

}  // namespace norn::ops
