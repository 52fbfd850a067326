// Version steps of TopK: K was an attribute, and what `largest` and `sorted` say went without saying.
#include "ops/math/topk/topk.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace topk_adapt_cc {
namespace {

using namespace transform;

void k_to_input(NodeEdit& edit) {
  const std::int64_t k = edit.attrs().i("k");
  edit.remove_attr("k");
  edit.set_input_ints(1, {k});
}

void k_to_attribute(NodeEdit& edit) {
  const auto k = constant_ints(edit, 1);
  if (k.size() != 1) edit.cannot("K has to be one number");
  edit.drop_input(1);
  edit.set_attr("k", k[0]);
}

// Without `sorted` the order is left open: that of older versions is one of them.
void drop_order(NodeEdit& edit) {
  if (!edit.attrs().flag("largest")) edit.cannot("before version 11 there are no smallest elements");
  edit.remove_attr("largest");
  edit.remove_attr("sorted");
}

}  // namespace
}  // namespace topk_adapt_cc

void topk_steps(StepTable& table) {
  table.add(TopK, 1, 10, k_to_input, k_to_attribute);
  table.add(TopK, 10, 11, unchanged, drop_order);
}

}  // namespace norn::ops
