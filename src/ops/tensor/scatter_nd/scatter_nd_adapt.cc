// Reductions came one after another.
#include "ops/tensor/scatter_elements/scatter_elements_adapt.h"
#include "ops/tensor/scatter_nd/scatter_nd.h"
#include "transform/shared_steps.h"

namespace norn::ops {

void scatter_nd_steps(transform::StepTable& table) {
  table.add(ScatterND, 13, 16, transform::unchanged, drop_scatter_reduction);
  table.add(ScatterND, 16, 18, transform::unchanged, require_sum_or_product);
}

}  // namespace norn::ops
