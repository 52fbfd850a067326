// Version steps of ArgMax and ArgMin: negative axes came with 11, select_last_index with 12.
#include "ops/reduction/arg_extremum/arg_extremum.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace arg_extremum_adapt_cc {
namespace {

using namespace transform;

void first_index(NodeEdit& edit) { drop_flag(edit, "select_last_index"); }

}  // namespace
}  // namespace arg_extremum_adapt_cc

void arg_extremum_steps(StepTable& table) {
  for (const opset::Operator* op : {&ArgMax, &ArgMin}) {
    table.add(*op, 1, 11, unchanged, axis_from_front);
    table.add(*op, 11, 12, unchanged, first_index);
  }
}

}  // namespace norn::ops
