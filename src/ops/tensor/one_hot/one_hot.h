// Class numbers as vectors with one element on.
#pragma once
#include <cstdint>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator OneHot;

// The number of classes that input 1 holds, whose fraction is dropped. Throws if it is not one number, or negative.
std::int64_t one_hot_depth(const opset::NodeView& node, const Tensor& depth);

}  // namespace norn::ops
