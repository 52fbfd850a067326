// What dimensions mean, carried from values that a document denotes to those that nodes make of them.
#pragma once
#include "ir/model.h"

namespace norn::checks {

// Whether the document denotes a dimension of any value.
bool denotes_dimensions(const ir::Model& model);

// Denotes dimensions of declared values that are not denoted yet, where an operator leaves them what they are: all of a
// Transpose and of what is computed element by element, the batch of a convolution, batch and channels of a pool.
void carry_denotations(ir::Model& model);

}  // namespace norn::checks
