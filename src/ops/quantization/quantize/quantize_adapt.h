// Version steps that QuantizeLinear and DequantizeLinear share.
#pragma once
#include "transform/version_step.h"

namespace norn::ops {

// 10 -> 13: the scale has to be known as one number, since a list would run along an axis; and back.
void require_one_scale(transform::NodeEdit& edit);
void drop_scale_axis(transform::NodeEdit& edit);
// 21 -> 19: no blocks.
void drop_blocks(transform::NodeEdit& edit);
// 19 -> 13: before 19 the scale was a float.
void require_float_scale(transform::NodeEdit& edit);

}  // namespace norn::ops
