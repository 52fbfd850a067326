// batch_dims came with 12.
#include "ops/tensor/gather_nd/gather_nd.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace gather_nd_adapt_cc {
namespace {

void no_batch_dims(transform::NodeEdit& edit) { transform::drop_flag(edit, "batch_dims"); }

}  // namespace
}  // namespace gather_nd_adapt_cc

void gather_nd_steps(transform::StepTable& table) { table.add(GatherND, 11, 12, transform::unchanged, no_batch_dims); }

}  // namespace norn::ops
