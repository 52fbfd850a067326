// Values put back where MaxPool took them.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MaxUnpool;

}  // namespace norn::ops
