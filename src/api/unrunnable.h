// Nodes that this build cannot run, one by one: there may be as many as a model has nodes.
#pragma once
#include <functional>
#include <vector>

#include "norn/explain.h"
#include "norn/model.h"
#include "norn/opset.h"

namespace norn {

void for_each_unrunnable(const Model& model, const std::vector<OperatorSet>& operator_sets, const Limits& limits,
                         const std::function<void(UnrunnableNode&&)>& f);

}  // namespace norn
