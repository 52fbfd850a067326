// Normalisation of groups of channels, as it is written where there is no operator for it: the channels of a group and
// their pixels become one dimension, InstanceNormalization goes over that, and the result has the shape of the input
// again. The three nodes become one, whose kernel takes channels last as convolutions do; the scale and the shift of
// each channel that follow join it as element-wise operations do. What no kernel takes is planned as it was.
#include <algorithm>
#include <array>

#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/shape/shape.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {

void fuse_group_norms(Program& program, Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(),
                   [](const Node& node) { return node.op == &ops::InstanceNormalization; }))
    return;
  Rewriter rewriter(program, graph);
  const auto is = [&](NodeId n, const opset::Operator& op) {
    return n != kNoNode && rewriter.node(n).op == &op && rewriter.node(n).parts.empty();
  };
  // A plan has to know the sizes of all parts.
  const auto is_planned = [&](NodeId reshape) {
    const ValueId to = rewriter.node(reshape).inputs[1];
    return is_const(graph, to) || graph.value(to).known.constant.defined() || is(rewriter.producer(to), ops::Shape);
  };
  rewriter.each([&](NodeId n) {
    if (!is(n, ops::InstanceNormalization)) return;
    const Node& norm = rewriter.node(n);
    const NodeId before = rewriter.only_reader(norm.inputs[0]) == n ? rewriter.producer(norm.inputs[0]) : kNoNode;
    const NodeId behind = rewriter.only_reader(norm.outputs[0]);
    if (!is(before, ops::Reshape) || !is(behind, ops::Reshape)) return;
    if (rewriter.node(behind).inputs[0] != norm.outputs[0] || !is_planned(before) || !is_planned(behind)) return;
    const opset::ValueType &x = rewriter.value(rewriter.node(before).inputs[0]).type,
                           &y = rewriter.value(rewriter.node(behind).outputs[0]).type;
    if (x.elem != DataType::Float || !x.has_rank() || !y.has_rank() || x.shape->size() < 3) return;
    // A size that is not known before a run may turn out the same.
    const bool same = std::equal(x.shape->begin(), x.shape->end(), y.shape->begin(), y.shape->end(),
                                 [](const opset::DimExpr& a, const opset::DimExpr& b) {
                                   return a == b || !a.is_constant() || !b.is_constant();
                                 });
    if (same) rewriter.fuse(std::array{before, n, behind});
  });
  rewriter.commit();
}

}  // namespace norn::program
