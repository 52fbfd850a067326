// Which nodes of a document's graph, or of a function body, its outputs need.
#pragma once
#include <string_view>
#include <vector>

#include "ir/model.h"

namespace norn::infer {

// By index into `nodes`. What graphs of a node read counts as read by the node, whoever defines it. Without any output
// there is nothing to tell by, and every node is needed.
std::vector<bool> needed_nodes(const std::vector<ir::Node>& nodes, const std::vector<std::string_view>& outputs);

}  // namespace norn::infer
