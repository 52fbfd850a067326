// Thrown before any node has run: sizes that a Reshape was asked for come to 0 or -1 with what is fed, so that it gives
// others. What passes found and folded by those does not hold: a model that declares the sizes at hand has to run.
#pragma once

namespace norn::runtime {

struct SizesCopied {};

}  // namespace norn::runtime
