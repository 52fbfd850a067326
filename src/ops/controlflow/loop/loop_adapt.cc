// Version 11 allows a loop that carries nothing.
#include "ops/controlflow/loop/loop.h"
#include "transform/shared_steps.h"

namespace norn::ops {

void loop_steps(transform::StepTable& table) {
  table.add(Loop, 1, 11, transform::unchanged, [](transform::NodeEdit& edit) {
    if (edit.input_count() < 3) edit.cannot("a loop of version 1 carries at least one value");
  });
}

}  // namespace norn::ops
