// Pooling, LRN, and what works along whole rows: softmax and reductions.
#include <algorithm>

#include "kernels/cpu/norm.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/softmax.h"
#include "ops/common/shapes.h"
#include "ops/math/softmax/softmax.h"
#include "ops/nn/global_pool/global_pool.h"
#include "ops/nn/pool/pool.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

bool select_pool(Selector& s) {
  if (!s.is_float("pool")) return false;
  if (s.node().outputs.size() > 1) {
    s.refuse("pool", "does not give Indices");
    return false;
  }
  kernels::PoolConfig config;
  config.x = s.dims(0);
  config.out = s.out_dims();
  const bool ceil = s.attrs().i("ceil_mode") != 0;
  const std::vector<std::int64_t> spatial(config.x.begin() + 2, config.x.end());
  const ops::Window window = ops::resolve_window(s.attrs(), spatial, s.attrs().ints("kernel_shape"), ceil);
  config.window = window.kernel;
  config.strides = window.strides;
  config.dilations = window.dilations;
  config.pads_begin = window.pads_begin;
  config.pads_end = window.pads_end;
  if (s.node().op == &ops::AveragePool) {
    config.kind = kernels::PoolKind::Average;
    config.count_include_pad = s.attrs().i("count_include_pad") != 0;
  }
  auto attempt = [&](Layout layout) {
    config.x_layout = config.out_layout = layout;
    return s.choose(kernels::pool_candidates(), config, {{s.node().inputs[0], layout}}, {s.node().outputs[0], layout});
  };
  const Layout made = s.made_in(s.node().inputs[0]);
  return (made != Layout::Dense && attempt(made)) || attempt(Layout::Dense);
}

bool select_global_pool(Selector& s) {
  if (!s.is_float("global_pool")) return false;
  kernels::GlobalPoolConfig config;
  config.x = s.dims(0);
  config.kind = s.node().op == &ops::GlobalMaxPool ? kernels::PoolKind::Max : kernels::PoolKind::Average;
  auto attempt = [&](Layout in) {
    config.x_layout = in;
    return s.choose(kernels::global_pool_candidates(), config, {{s.node().inputs[0], in}}, {s.node().outputs[0]});
  };
  const Layout made = s.made_in(s.node().inputs[0]);
  return (made != Layout::Dense && attempt(made)) || attempt(Layout::Dense);
}

bool select_lrn(Selector& s) {
  if (!s.is_float("lrn")) return false;
  kernels::LrnConfig config;
  config.x = s.dims(0);
  config.size = s.attrs().i("size");
  config.alpha = s.attrs().f("alpha");
  config.beta = s.attrs().f("beta");
  config.bias = s.attrs().f("bias");
  auto attempt = [&](Layout layout) {
    config.layout = layout;
    return s.choose(kernels::lrn_candidates(), config, {{s.node().inputs[0], layout}}, {s.node().outputs[0], layout});
  };
  const Layout made = s.made_in(s.node().inputs[0]);
  return (made != Layout::Dense && attempt(made)) || attempt(Layout::Dense);
}

bool select_softmax(Selector& s) {
  if (!s.is_float("softmax")) return false;
  // Versions before 13 normalise over all dimensions from `axis` on; they keep their reference kernel unless lifted.
  if (s.node().schema->since < 13) {
    s.refuse("softmax", "normalises along one axis; this version flattens from axis on");
    return false;
  }
  const Shape& x = s.dims(0);
  const auto rank = static_cast<std::int64_t>(x.size());
  std::int64_t axis = s.attrs().i("axis");
  if (axis < 0) axis += rank;
  kernels::SoftmaxConfig config;
  config.log = s.node().op == &ops::LogSoftmax;
  for (std::int64_t d = 0; d < rank; ++d)
    (d < axis ? config.outer : d == axis ? config.n : config.inner) *= x[static_cast<std::size_t>(d)];
  return s.choose(kernels::softmax_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]}, true);
}

bool select_reduce(Selector& s) {
  if (!s.is_float("reduce")) return false;
  if (s.has(1) && !s.constant(1)) {
    s.refuse("reduce", "the axes are not constant");
    return false;
  }
  kernels::ReduceConfig config;
  config.kind = kernels::ReduceKind::Mean;
  config.x = s.dims(0);
  const auto rank = static_cast<std::int64_t>(config.x.size());
  config.axes = s.ints(1);
  for (std::int64_t& axis : config.axes)
    if (axis < 0) axis += rank;
  std::sort(config.axes.begin(), config.axes.end());
  if (config.axes.empty() && s.attrs().i("noop_with_empty_axes") == 0)
    for (std::int64_t d = 0; d < rank; ++d) config.axes.push_back(d);
  return s.choose(kernels::reduce_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

}  // namespace norn::runtime
