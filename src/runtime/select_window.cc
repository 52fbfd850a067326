// Pooling, LRN, and what works along whole rows: softmax and reductions.
#include <algorithm>

#include "kernels/cpu/norm.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/plane_places.h"
#include "kernels/cpu/plane_pool.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/softmax.h"
#include "ops/common/shapes.h"
#include "ops/math/softmax/softmax.h"
#include "ops/nn/global_pool/global_pool.h"
#include "ops/nn/lrn/lrn.h"
#include "ops/nn/pool/pool.h"
#include "ops/reduction/reduce/reduce.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

constexpr std::int64_t kManyChannels = 8;

// Of a window that covers all of a plane and nothing else.
static bool select_whole_planes(Selector& s, const kernels::PlanePoolConfig& p) {
  if (p.type != DataType::Float || p.x.size() < 3) return false;
  for (std::size_t d = 2; d < p.x.size(); ++d)
    if (p.out[d] != 1 || p.window[d - 2] != p.x[d] || p.dilations[d - 2] != 1 || p.pads_begin[d - 2] != 0 ||
        p.pads_end[d - 2] != 0)
      return false;
  kernels::GlobalPoolConfig config;
  config.x = p.x;
  config.kind = p.kind;
  return s.choose(kernels::global_pool_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_pool(Selector& s) {
  const DataType type = s.out_dtype();
  const bool is_8_bit = type == DataType::Uint8 || type == DataType::Int8;
  const SelectedNode node(s);
  const ops::PoolParams params = ops::resolve_pool(node);
  const ops::Window window = ops::pool_window(node, params, s.dims(0));
  const bool average = s.node().op == &ops::AveragePool;
  const Layout made = s.made_in(s.node().inputs[0]);
  kernels::PlanePoolConfig planes;
  planes.type = type;
  planes.kind = average ? kernels::PoolKind::Average : kernels::PoolKind::Max;
  planes.x = s.dims(0);
  planes.out = s.out_dims();
  planes.window = window.kernel;
  planes.strides = window.strides;
  planes.dilations = window.dilations;
  planes.pads_begin = window.pads_begin;
  planes.pads_end = window.pads_end;
  planes.count_include_pad = average && params.count_include_pad;
  if (s.node().outputs.size() > 1)
    return s.choose_outputs(kernels::plane_places_candidates(), kernels::PlanePlacesConfig{planes, params.column_major},
                            {{s.node().inputs[0]}}, {{s.node().outputs[0]}, {s.node().outputs[1]}});
  if (made == Layout::Dense && select_whole_planes(s, planes)) return true;
  if (made == Layout::Dense &&
      s.choose(kernels::plane_pool_candidates(), planes, {{s.node().inputs[0]}}, {s.node().outputs[0]}))
    return true;
  if (!is_8_bit && !s.is_float("pool")) return false;
  kernels::PoolConfig config;
  config.x = planes.x;
  config.out = planes.out;
  config.window = window.kernel;
  config.strides = window.strides;
  config.dilations = window.dilations;
  config.pads_begin = window.pads_begin;
  config.pads_end = window.pads_end;
  config.kind = planes.kind;
  config.count_include_pad = planes.count_include_pad;
  auto attempt = [&](Layout layout) {
    config.x_layout = config.out_layout = layout;
    if (is_8_bit)
      return s.choose(kernels::int8_pool_candidates(), kernels::Int8PoolConfig{config, type},
                      {{s.node().inputs[0], layout}}, {s.node().outputs[0], layout});
    return s.choose(kernels::pool_candidates(), config, {{s.node().inputs[0], layout}}, {s.node().outputs[0], layout});
  };
  // Vectors of channels are worth laying x out for them: a dense window goes element by element.
  const bool many = config.x.size() >= 3 && config.x[1] >= kManyChannels;
  const Layout wanted = made == Layout::Dense && many ? Layout::ChannelsLast : made;
  return (wanted != Layout::Dense && attempt(wanted)) || attempt(Layout::Dense);
}

namespace {

// The mean over all spatial positions of what is dequantized: of the integers.
bool select_int8_mean(Selector& s) {
  const Dequantized* from = s.dequantized(s.node().inputs[0]);
  if (from == nullptr) return false;
  const Layout layout = s.made_in(from->x);
  return s.choose(kernels::int8_mean_candidates(),
                  kernels::Int8MeanConfig{s.dims_of(from->x), s.dtype_of(from->x), layout},
                  {{from->x, layout}, {from->scale}, {from->zero}}, {s.node().outputs[0]});
}

}  // namespace

bool select_global_pool(Selector& s) {
  if (!s.is_float("global_pool")) return false;
  if (s.node().op == &ops::GlobalAveragePool && select_int8_mean(s)) return true;
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
  const ops::LrnParams params = ops::resolve_lrn(SelectedNode(s));
  config.size = params.size;
  config.alpha = params.alpha;
  config.beta = params.beta;
  config.bias = params.bias;
  auto attempt = [&](Layout layout) {
    config.layout = layout;
    return s.choose(kernels::lrn_candidates(), config, {{s.node().inputs[0], layout}}, {s.node().outputs[0], layout});
  };
  const Layout made = s.made_in(s.node().inputs[0]);
  return (made != Layout::Dense && attempt(made)) || attempt(Layout::Dense);
}

bool select_softmax(Selector& s) {
  // Versions before 13 normalise over all dimensions from `axis` on; they keep their reference kernel unless lifted.
  if (s.node().schema->since < 13) {
    s.refuse("softmax", "normalises along one axis; this version flattens from axis on");
    return false;
  }
  const Shape& x = s.dims(0);
  const auto [first, last] = ops::resolve_softmax(SelectedNode(s), static_cast<std::int64_t>(x.size()));
  const auto attempt = [&](Layout layout) {
    const std::vector<std::size_t> order = kernels::memory_order(x.size(), layout);
    Shape lies;
    for (const std::size_t d : order) lies.push_back(x[d]);
    const auto at = std::find(order.begin(), order.end(), static_cast<std::size_t>(first)) - order.begin();
    const ops::AxisView view = ops::view_along(lies, at, at + last - first);
    kernels::SoftmaxConfig config;
    config.log = s.node().op == &ops::LogSoftmax;
    config.outer = view.outer;
    config.n = view.n;
    config.inner = view.inner;
    config.type = s.out_dtype();
    return s.choose(kernels::softmax_candidates(), config, {{s.node().inputs[0], layout}},
                    {s.node().outputs[0], layout}, true);
  };
  return (last - first == 1 && s.advised_layout() == Layout::ChannelsLast && attempt(Layout::ChannelsLast)) ||
         attempt(Layout::Dense);
}

namespace {

struct Reduction {
  const opset::Operator* op;
  kernels::ReduceKind kind;
};
// Not L2: squares of large elements are beyond f32 where the root of their sum is not.
constexpr Reduction kReductions[] = {
    {&ops::ReduceMean, kernels::ReduceKind::Mean}, {&ops::ReduceSum, kernels::ReduceKind::Sum},
    {&ops::ReduceMax, kernels::ReduceKind::Max},   {&ops::ReduceMin, kernels::ReduceKind::Min},
    {&ops::ReduceProd, kernels::ReduceKind::Prod}, {&ops::ReduceSumSquare, kernels::ReduceKind::SumSquare},
    {&ops::ReduceL1, kernels::ReduceKind::L1},
};

}  // namespace

bool folds_any_layout(const opset::Operator* op) {
  if (op == &ops::GlobalAveragePool || op == &ops::GlobalMaxPool) return true;
  return std::ranges::any_of(kReductions, [&](const Reduction& reduction) { return reduction.op == op; });
}

bool select_reduce(Selector& s) {
  if (s.out_dtype() != DataType::Float) return select_fold(s);
  if (s.has(1) && !s.constant(1)) {
    s.refuse("reduce", "the axes are not constant");
    return false;
  }
  kernels::ReduceConfig config;
  for (const Reduction& reduction : kReductions)
    if (reduction.op == s.node().op) config.kind = reduction.kind;
  const SelectedNode node(s);
  const auto rank = static_cast<std::int64_t>(s.dims(0).size());
  const auto reduced = node.require(ops::reduced_dims(node, ops::resolve_reduce(node), rank), "axes");
  // What stays has to come in the order of dense memory.
  const Shape& x = s.dims(0);
  if (config.kind == kernels::ReduceKind::Mean && rank >= 3 && !reduced[0] && !reduced[1] &&
      std::find(reduced.begin() + 2, reduced.end(), false) == reduced.end() && select_int8_mean(s))
    return true;
  const auto attempt = [&](Layout layout) {
    config.x.clear();
    config.axes.clear();
    std::size_t last = 0;
    for (std::size_t d : kernels::memory_order(x.size(), layout)) {
      if (reduced[d]) {
        config.axes.push_back(static_cast<std::int64_t>(config.x.size()));
      } else if (x[d] != 1) {
        if (d < last) return false;
        last = d;
      }
      config.x.push_back(x[d]);
    }
    return s.choose(kernels::reduce_candidates(), config, {{s.node().inputs[0], layout}}, {s.node().outputs[0]});
  };
  const Layout made = s.made_in(s.node().inputs[0]);
  if (made != Layout::Dense && attempt(made)) return true;
  // Rows of some length are folded by themselves; what is short or lies across them, many at a time.
  constexpr std::int64_t kRow = 256;
  std::int64_t row = 1;
  for (std::size_t d = x.size(); d-- > 0 && reduced[d];) row *= x[d];
  if (row < kRow && select_fold(s)) return true;
  return attempt(Layout::Dense) || (row >= kRow && select_fold(s));
}

}  // namespace norn::runtime
