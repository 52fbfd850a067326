// Strings cut into tokens, as exporters of text vectorizers write it.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator Tokenizer;

}  // namespace norn::ops::microsoft
