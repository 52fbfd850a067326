// What steps compute and move, counted from the definitions of their operations and their sizes.
//
// A multiply-add counts as two operations; anything else as one for each element that it reads or makes, whichever are
// more, and moving elements as none. Bytes are those of all operands, each once, as they are stored; of what is read at
// positions, such as a table of rows, as many as come out.
#pragma once
#include <functional>
#include <optional>

#include "norn/types.h"
#include "program/program.h"
#include "runtime/plan.h"

namespace norn::runtime {

// Whether the operator gives elements that it read, or a constant one, and computes none.
bool only_moves(const opset::Operator* op);

// Of a node's own operation where it is a product, a convolution, attention or a recurrent layer; else 0. `dims` gives
// the sizes of values of the node.
double multiply_adds(const program::Node& node, const std::function<const Shape&(program::ValueId)>& dims);

struct StepCost {
  std::optional<double> flop;  // nothing if it does not follow from the sizes, as for trees
  double bytes = 0;
};
// Of one call. A step that runs graphs costs what their steps do, and nothing by itself.
StepCost step_cost(const program::Graph& graph, const StepInfo& info);

}  // namespace norn::runtime
