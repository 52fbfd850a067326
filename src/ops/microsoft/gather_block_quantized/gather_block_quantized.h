// Rows of a table of integers that have a scale for each block, as embeddings of quantised language models.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator GatherBlockQuantized;

}  // namespace norn::ops::microsoft
