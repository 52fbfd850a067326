// Max, Min, Sum and Mean of any number of tensors.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Max, Min, Sum, Mean;

}  // namespace norn::ops
