// Flatten 11 allowed negative axes.
#include "ops/nn/flatten/flatten.h"
#include "transform/shared_steps.h"

namespace norn::ops {

using namespace transform;

void flatten_steps(StepTable& table) { table.add(Flatten, 9, 11, unchanged, axis_from_front); }

}  // namespace norn::ops
