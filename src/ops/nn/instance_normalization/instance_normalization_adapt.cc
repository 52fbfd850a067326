#include "ops/nn/instance_normalization/instance_normalization.h"
#include "transform/shared_steps.h"

namespace norn::ops {

using namespace transform;

void instance_normalization_steps(StepTable& table) {
  table.add(InstanceNormalization, 1, 6, drop_consumed_inputs, unchanged);
}

}  // namespace norn::ops
