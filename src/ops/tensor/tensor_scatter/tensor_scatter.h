// A piece written into a cache, at a place of its own for each batch entry.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TensorScatter;

}  // namespace norn::ops
