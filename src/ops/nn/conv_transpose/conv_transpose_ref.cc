// Each element of X, times the filter, is added to Y where the window that Conv would have there lies. Summed in
// double.
#include "base/stop.h"
#include "ops/nn/conv_transpose/conv_transpose.h"

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace conv_transpose_ref_cc {
namespace {

void conv_transpose_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &w = ctx.input(1);
  const ConvTransposeParams p = resolve_conv_transpose(ctx, x.dims(), w.dims());
  const std::int64_t batch = x.dims()[0], channels = x.dims()[1], per_group = w.dims()[1];
  const std::int64_t filters = p.filters;
  if (ctx.has_input(2) && ctx.input(2).dims() != Shape{filters}) {
    ctx.fail("B is " + to_string(ctx.input(2).dims()) + ", but there are " + std::to_string(filters) + " filters");
  }
  Shape out_dims{batch, filters};
  out_dims.insert(out_dims.end(), p.out.begin(), p.out.end());
  Tensor& y = ctx.output(0, x.dtype(), out_dims);
  if (y.size() == 0) return;

  const std::vector<double> xs = load_all<double>(x), ws = load_all<double>(w);
  std::vector<double> result(static_cast<std::size_t>(y.size()), 0.0);
  const std::int64_t in_plane = element_count(p.window.out), out_plane = element_count(p.out);
  const std::int64_t kernel = element_count(p.window.kernel), group_channels = channels / p.group;
  if (ctx.has_input(2)) {
    const std::vector<double> bias = load_all<double>(ctx.input(2));
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = bias[i / static_cast<std::size_t>(out_plane) % bias.size()];
  }
  WindowTaps window(p.window, p.out);
  std::int64_t position = 0;
  const base::Stop* const stop = base::current_stop();
  for (Odometer o(p.window.out, {}); !o.done(); o.next(), ++position) {
    if (stop) stop->check();
    const std::span<const WindowTaps::Tap> taps = window.at(o.index());
    for (std::int64_t n = 0; n < batch; ++n) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const double v = xs[static_cast<std::size_t>((n * channels + c) * in_plane + position)];
        for (std::int64_t m = 0; m < per_group; ++m) {
          double* plane = result.data() + (n * filters + c / group_channels * per_group + m) * out_plane;
          const double* filter = ws.data() + (c * per_group + m) * kernel;
          for (const WindowTaps::Tap& tap : taps) plane[tap.input] += v * filter[tap.kernel];
        }
      }
    }
  }
  store_all(y, result);
}

}  // namespace
}  // namespace conv_transpose_ref_cc

void conv_transpose_references(opset::ReferenceTable& table) { table.add(ConvTranspose, conv_transpose_ref); }

}  // namespace norn::ops
