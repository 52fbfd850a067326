// An output whose sizes are known only when the kernel has computed it.
#pragma once
#include "norn/types.h"

namespace norn::kernels {

// What a kernel's operand for such an output leads to, in place of the output's memory.
class LateOutput {
 public:
  virtual ~LateOutput() = default;
  // Memory of the output; asked for once. Throws norn::Error (LimitExceeded).
  virtual void* allocate(const Shape& dims) = 0;
};

}  // namespace norn::kernels
