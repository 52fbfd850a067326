// Version 3 added double tensors beside the lists of floats. In 5 both operators are deprecated, and nodes stay.
#include <string>

#include "ops/traditionalml/tree_ensemble/tree_ensemble.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace tree_ensemble_adapt_cc {
namespace {

using namespace transform;

void require_no_tensors(NodeEdit& edit) {
  for (const auto& attribute : edit.attrs().given())
    if (attribute.name.get().ends_with("_as_tensor"))
      edit.cannot(attribute.name.get() + " came with version 3", "give the list of floats");
}

}  // namespace
}  // namespace tree_ensemble_adapt_cc

void tree_ensemble_steps(StepTable& table) {
  for (const opset::Operator* op : {&TreeEnsembleClassifier, &TreeEnsembleRegressor}) {
    table.add(*op, 1, 3, unchanged, require_no_tensors);
    table.add(*op, 5, 3, unchanged);
  }
}

}  // namespace norn::ops
