// Stop words removed and case changed.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator StringNormalizer;

}  // namespace norn::ops
