#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GatherElements;

}  // namespace norn::ops
