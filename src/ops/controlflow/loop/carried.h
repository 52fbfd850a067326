// What Loop, Scan and SequenceMap have in common: a graph that runs any number of times, and values that it hands from
// one time to the next.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

struct Carried {
  std::vector<opset::Fact> outputs;  // of the graph, each time that it runs
  std::vector<opset::DimExpr> wide;  // the variables of sizes that change from one time to the next
};
// Infers the graph with wider and wider formals until what it gives for the carried values, which are
// outputs [first_output, first_output + count), fits into formals [first_formal, ...). A size that changes becomes an
// unknown one, a rank that changes is not known. Leaves in `formals` what holds before and after any number of
// iterations. A value that begins as an optional may come back as what it holds. Throws through `ctx` if a carried
// value changes its type, or if the graph has fewer outputs.
Carried infer_carried(opset::InferContext& ctx, std::string_view attribute, std::vector<opset::Fact>& formals,
                      std::size_t first_formal, std::size_t first_output, std::size_t count);
// The type of something behind the last time, or of what all times have in common: sizes that change stand for others
// there than in the graph.
opset::ValueType behind(opset::InferContext& ctx, opset::ValueType type, const Carried& carried);

}  // namespace norn::ops
