#include "ops/nn/global_lp_pool/global_lp_pool.h"
#include "transform/shared_steps.h"

namespace norn::ops {

using namespace transform;

void global_lp_pool_steps(StepTable& table) {
  table.add(
      GlobalLpPool, 1, 2, [](NodeEdit& edit) { float_to_int(edit, "p"); },
      [](NodeEdit& edit) { int_to_float(edit, "p"); });
  table.keeps(GlobalLpPool, 1, "p need not be a whole number");
}

}  // namespace norn::ops
