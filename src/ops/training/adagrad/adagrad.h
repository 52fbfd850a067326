// One step of Adagrad.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Adagrad;

}  // namespace norn::ops
