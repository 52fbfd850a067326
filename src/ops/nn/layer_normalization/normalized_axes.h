// What the bodies of normalizations from an axis on share.
#pragma once
#include <string>
#include <vector>

#include "opset/function_body.h"

namespace norn::ops {

// The axes from `axis` on, as negative numbers, which need no rank where `axis` is one.
inline std::vector<std::int64_t> normalized_axes(const opset::BodyBuilder& b) {
  std::int64_t axis = b.attrs().i("axis");
  if (axis >= 0) axis -= b.rank(0);
  if (axis >= 0) b.fail("axis " + std::to_string(b.attrs().i("axis")) + " is beyond the input's rank");
  std::vector<std::int64_t> axes;
  for (; axis < 0; ++axis) axes.push_back(axis);
  return axes;
}

}  // namespace norn::ops
