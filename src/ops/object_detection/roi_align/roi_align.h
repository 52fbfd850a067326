// Average or maximum of samples between elements, in regions.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RoiAlign;

}  // namespace norn::ops
