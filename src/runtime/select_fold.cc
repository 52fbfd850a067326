// Reductions in every element type, places of extrema, running sums.
#include "kernels/cpu/fold.h"
#include "ops/common/shapes.h"
#include "ops/math/cumulative/cumulative.h"
#include "ops/math/softmax/softmax.h"
#include "ops/reduction/arg_extremum/arg_extremum.h"
#include "ops/reduction/reduce/reduce.h"
#include "ops/tensor/cast/cast.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

struct Folding {
  const opset::Operator* op;
  kernels::FoldKind kind;
};
constexpr Folding kFoldings[] = {
    {&ops::ReduceMean, kernels::FoldKind::Mean},     {&ops::ReduceSum, kernels::FoldKind::Sum},
    {&ops::ReduceMax, kernels::FoldKind::Max},       {&ops::ReduceMin, kernels::FoldKind::Min},
    {&ops::ReduceProd, kernels::FoldKind::Prod},     {&ops::ReduceSumSquare, kernels::FoldKind::SumSquare},
    {&ops::ReduceL1, kernels::FoldKind::L1},         {&ops::ReduceL2, kernels::FoldKind::L2},
    {&ops::ReduceLogSum, kernels::FoldKind::LogSum}, {&ops::ReduceLogSumExp, kernels::FoldKind::LogSumExp},
};

bool is_without_elements(const Shape& dims) {
  for (std::int64_t d : dims)
    if (d == 0) return true;
  return false;
}

}  // namespace

bool select_fold(Selector& s) {
  if (s.has(1) && !s.constant(1)) {
    s.refuse("fold", "the axes are not constant");
    return false;
  }
  kernels::FoldConfig config;
  for (const Folding& folding : kFoldings)
    if (folding.op == s.node().op) config.kind = folding.kind;
  config.type = s.out_dtype();
  config.x = s.dims(0);
  const SelectedNode node(s);
  const auto rank = static_cast<std::int64_t>(config.x.size());
  const auto reduced = node.require(ops::reduced_dims(node, ops::resolve_reduce(node), rank), "axes");
  for (std::int64_t d = 0; d < rank; ++d)
    if (reduced[static_cast<std::size_t>(d)]) config.axes.push_back(d);
  return s.choose(kernels::fold_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_integer_log_sum_exp(Selector& s) {
  if (s.parts().size() < 2 || s.parts()[0].op != &ops::ReduceLogSumExp || s.parts()[1].op != &ops::Cast) return false;
  const program::Node& fold = s.parts()[0];
  const program::ValueId made = s.parts()[1].outputs[0];
  if (s.dtype_of(made) != s.dtype(0)) return false;
  kernels::FoldConfig config{.kind = kernels::FoldKind::LogSumExp, .type = s.dtype(0), .x = s.dims(0), .axes = {}};
  const SelectedNode node(s, fold);
  const auto rank = static_cast<std::int64_t>(config.x.size());
  const auto reduced = node.require(ops::reduced_dims(node, ops::resolve_reduce(node), rank), "axes");
  for (std::int64_t d = 0; d < rank; ++d)
    if (reduced[static_cast<std::size_t>(d)]) config.axes.push_back(d);
  s.take(2);
  if (s.choose(kernels::fold_candidates(), config, {{s.node().inputs[0]}}, {made})) return true;
  s.leave_parts();
  return false;
}

bool select_arg_extremum(Selector& s) {
  const Shape& x = s.dims(0);
  if (is_without_elements(x)) {
    s.refuse("arg_extremum", "an empty tensor");
    return false;
  }
  const ops::ArgExtremumParams p = ops::resolve_arg_extremum(SelectedNode(s), static_cast<std::int64_t>(x.size()));
  const ops::AxisView view = ops::view_along(x, p.axis);
  const kernels::ArgExtremumConfig config{s.dtype(0), s.node().op == &ops::ArgMax, p.last, view.outer, view.n,
                                          view.inner};
  return s.choose(kernels::arg_extremum_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_hardmax(Selector& s) {
  const Shape& x = s.dims(0);
  if (is_without_elements(x)) {
    s.refuse("hardmax", "an empty tensor");
    return false;
  }
  const auto [first, last] = ops::resolve_softmax(SelectedNode(s), static_cast<std::int64_t>(x.size()));
  const ops::AxisView view = ops::view_along(x, first, last);
  const kernels::HardmaxConfig config{s.out_dtype(), view.outer, view.n, view.inner};
  return s.choose(kernels::hardmax_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_cumulative(Selector& s) {
  const Shape& x = s.dims(0);
  if (!s.constant(1) || is_without_elements(x)) {
    s.refuse("cumulative", "the axis is not constant, or the tensor is empty");
    return false;
  }
  const SelectedNode node(s);
  const ops::CumulativeParams p = ops::resolve_cumulative(node, static_cast<std::int64_t>(x.size()));
  const ops::AxisView view = ops::view_along(x, node.require(p.axis, "axis"));
  const kernels::CumulativeConfig config{
      s.out_dtype(), s.node().op == &ops::CumProd, p.exclusive, p.reverse, view.outer, view.n, view.inner};
  return s.choose(kernels::cumulative_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

}  // namespace norn::runtime
