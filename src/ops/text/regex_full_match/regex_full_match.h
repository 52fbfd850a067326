// Which strings match a regular expression as a whole.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RegexFullMatch;

}  // namespace norn::ops
