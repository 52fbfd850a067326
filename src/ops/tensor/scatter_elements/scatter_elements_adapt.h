// Version steps that ScatterElements and ScatterND share.
#pragma once
#include "transform/version_step.h"

namespace norn::ops {

// 16 -> 13: there is no reduction; 18 -> 16: no max and min.
void drop_scatter_reduction(transform::NodeEdit& edit);
void require_sum_or_product(transform::NodeEdit& edit);

}  // namespace norn::ops
