// One step of Adam.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Adam;

}  // namespace norn::ops
