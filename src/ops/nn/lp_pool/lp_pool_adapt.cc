#include "ops/nn/lp_pool/lp_pool.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace lp_pool_adapt_cc {
namespace {

using namespace transform;

void lp_1_2(NodeEdit& edit) {
  if (!edit.attrs().has("kernel_shape")) edit.cannot("kernel_shape is missing, which the newer version requires");
  float_to_int(edit, "p");
}
void lp_2_1(NodeEdit& edit) { int_to_float(edit, "p"); }

void lp_18_11(NodeEdit& edit) {
  drop_flag(edit, "ceil_mode");
  drop_dilations(edit);
}

}  // namespace
}  // namespace lp_pool_adapt_cc

void lp_pool_steps(StepTable& table) {
  table.add(LpPool, 1, 2, lp_1_2, lp_2_1);
  table.add(LpPool, 11, 18, unchanged, lp_18_11);
  table.keeps(LpPool, 1, "p need not be a whole number");
}

}  // namespace norn::ops
