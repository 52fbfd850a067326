// Cropped or padded to a size about the centre, axis by axis.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CenterCropPad;

}  // namespace norn::ops
