// What ScatterElements and ScatterND do with an element that they write to.
#pragma once
#include <cstdint>
#include <vector>

#include "opset/node_view.h"
#include "opset/reference.h"

namespace norn::ops {

enum class ScatterReduction { None, Add, Mul, Max, Min };
// The attribute `reduction`, where the version has it. Throws for what the version does not know.
ScatterReduction resolve_scatter_reduction(const opset::NodeView& node);

// Output 0 is a copy of input 0, into which the elements [j * run, (j + 1) * run) of input 2 are written at targets[j],
// in this order.
void scatter_runs(opset::ReferenceContext& ctx, const std::vector<std::int64_t>& targets, std::int64_t run);

}  // namespace norn::ops
