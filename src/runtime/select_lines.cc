// What goes along one axis, line by line: TopK, and division by norms; samples at points.
#include "kernels/cpu/grid_sample.h"
#include "kernels/cpu/line_norm.h"
#include "kernels/cpu/topk.h"
#include "ops/common/shapes.h"
#include "ops/math/topk/topk.h"
#include "ops/nn/lp_normalization/lp_normalization.h"
#include "ops/tensor/grid_sample/grid_sample.h"
#include "runtime/select.h"

namespace norn::runtime {

bool select_topk(Selector& s) {
  const program::Node& node = s.node();
  const Shape& x = s.dims(0);
  const ops::TopKParams p = ops::resolve_topk(SelectedNode(s), static_cast<std::int64_t>(x.size()));
  if (!p.k || !p.k->is_constant()) {
    s.refuse("topk", "k is not constant");
    return false;
  }
  const ops::AxisView view = ops::view_along(x, p.axis);
  kernels::TopKConfig config;
  config.type = s.dtype(0);
  config.largest = p.largest;
  config.k = p.k->constant();
  config.outer = view.outer;
  config.n = view.n;
  config.inner = view.inner;
  std::vector<Operand> outs;
  for (std::size_t i = 0; i < 2; ++i) outs.push_back({i < node.outputs.size() ? node.outputs[i] : program::kNone});
  return s.choose_outputs(kernels::topk_candidates(), config, {{node.inputs[0]}}, outs);
}

bool select_lp_normalization(Selector& s) {
  const Shape& x = s.dims(0);
  const ops::LpNormalizationParams p =
      ops::resolve_lp_normalization(SelectedNode(s), static_cast<std::int64_t>(x.size()));
  const ops::AxisView view = ops::view_along(x, p.axis);
  const kernels::LineNormConfig config{s.out_dtype(), static_cast<int>(p.p), view.outer, view.n, view.inner};
  return s.choose(kernels::line_norm_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_grid_sample(Selector& s) {
  const ops::GridSampleParams p = ops::resolve_grid_sample(SelectedNode(s));
  const Shape &x = s.dims(0), &grid = s.dims(1);
  if (p.mode == ops::SampleMode::Cubic || x.size() != 4 || s.dtype(0) != s.dtype(1)) {
    s.refuse("grid_sample", "computes linear and nearest samples of two dimensions, of a grid of the same type");
    return false;
  }
  kernels::GridSampleConfig config;
  config.type = s.dtype(0);
  config.padding = p.padding == ops::SamplePadding::Zeros    ? kernels::GridPadding::Zeros
                   : p.padding == ops::SamplePadding::Border ? kernels::GridPadding::Border
                                                             : kernels::GridPadding::Reflection;
  config.align_corners = p.align_corners;
  config.nearest = p.mode == ops::SampleMode::Nearest;
  config.batch = x[0];
  config.channels = x[1];
  config.rows = x[2];
  config.columns = x[3];
  config.points = element_count({grid[1], grid[2]});
  return s.choose(kernels::grid_sample_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

}  // namespace norn::runtime
