// Categories as vectors with a one.
#pragma once
#include "ops/common/scores.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator OneHotEncoder;

struct OneHotEncoderParams {
  Labels categories;
  bool zeros;  // rows of zeros stand for what is not among them
};
// For X of a type, which may be unknown.
OneHotEncoderParams resolve_one_hot_encoder(const opset::NodeView& node, DataType x);

}  // namespace norn::ops
