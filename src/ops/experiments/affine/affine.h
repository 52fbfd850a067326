// A factor and a summand for all elements, or for those of a channel; and two functions between two factors.
#pragma once
#include "opset/schema.h"

namespace norn::ops::experiments {

extern const opset::Operator Affine, ImageScaler, ParametricSoftplus, Scale, ScaledTanh;

}  // namespace norn::ops::experiments
