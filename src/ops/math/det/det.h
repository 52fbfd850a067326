// Determinants of square matrices.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Det;

}  // namespace norn::ops
