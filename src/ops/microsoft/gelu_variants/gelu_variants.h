// Gelu and its approximations, some of them of a sum with a bias.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator BiasGelu, FastGelu, Gelu, QuickGelu;

}  // namespace norn::ops::microsoft
