// Each row of scores as a map from class to score.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ZipMap;

}  // namespace norn::ops
