// Thrown before any node has run: sizes that a Reshape is asked for are 0 or -1 with what is fed, so that its output
// has other sizes. What passes concluded from them does not hold: a model that declares the sizes at hand has to run.
#pragma once

namespace norn::runtime {

struct SizesCopied {};

}  // namespace norn::runtime
