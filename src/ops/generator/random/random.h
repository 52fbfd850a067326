// Random tensors of a given shape, or of another tensor's.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RandomNormal, RandomNormalLike, RandomUniform, RandomUniformLike;

}  // namespace norn::ops
