// Scatter is ScatterElements under its first name. Reductions came one after another.
#include "ops/tensor/scatter_elements/scatter_elements_adapt.h"
#include "ops/tensor/scatter_elements/scatter_elements.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace scatter_elements_adapt_cc {
namespace {

using namespace transform;

void rename(NodeEdit& edit) { edit.become(ScatterElements, 11); }

}  // namespace
}  // namespace scatter_elements_adapt_cc

void drop_scatter_reduction(NodeEdit& edit) {
  if (edit.attrs().s("reduction") != "none") edit.cannot("before version 16 there is no reduction");
  edit.remove_attr("reduction");
}

void require_sum_or_product(NodeEdit& edit) {
  const std::string reduction = edit.attrs().s("reduction");
  if (reduction == "max" || reduction == "min") edit.cannot("before version 18 the reduction is none, add or mul");
}

void scatter_elements_steps(StepTable& table) {
  table.add(Scatter, 9, 11, rename);
  table.add(ScatterElements, 13, 16, unchanged, drop_scatter_reduction);
  table.add(ScatterElements, 16, 18, unchanged, require_sum_or_product);
}

}  // namespace norn::ops
