// Scaled dot-product attention, with a cache of keys and values.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Attention;

}  // namespace norn::ops
