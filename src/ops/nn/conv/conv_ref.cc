// Conv: convolve() in double, rounded once.
#include "base/stop.h"
#include "ops/common/loops.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv/convolve.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace conv_ref_cc {
namespace {

void conv_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &w = ctx.input(1);
  const ConvParams p = resolve_conv(ctx, x.dims(), w.dims());
  const std::int64_t filters = w.dims()[0];
  std::vector<double> bias(static_cast<std::size_t>(filters), 0.0);
  if (ctx.has_input(2)) {
    if (ctx.input(2).dims() != Shape{filters}) {
      ctx.fail("B is " + to_string(ctx.input(2).dims()) + ", but W has " + std::to_string(filters) + " filters");
    }
    bias = load_all<double>(ctx.input(2));
  }
  Tensor& y = ctx.output(0, x.dtype(), convolved_shape(p, x.dims(), w.dims()));
  store_all(y, convolve(p, x.dims(), w.dims(), load_all<double>(x), load_all<double>(w), bias));
}

}  // namespace
}  // namespace conv_ref_cc

Shape convolved_shape(const ConvParams& p, const Shape& x, const Shape& w) {
  Shape out{x[0], w[0]};
  out.insert(out.end(), p.window.out.begin(), p.window.out.end());
  return out;
}

std::vector<double> convolve(const ConvParams& p, const Shape& x_dims, const Shape& w_dims,
                             const std::vector<double>& x, const std::vector<double>& w,
                             const std::vector<double>& bias) {
  std::vector<double> result(static_cast<std::size_t>(element_count(convolved_shape(p, x_dims, w_dims))));
  if (result.empty()) return result;
  const std::int64_t batch = x_dims[0], channels = x_dims[1], filters = w_dims[0], per_group = w_dims[1];
  const Shape in(x_dims.begin() + 2, x_dims.end());
  const std::int64_t in_plane = element_count(in), out_plane = element_count(p.window.out);
  const std::int64_t kernel = element_count(p.window.kernel);
  WindowTaps window(p.window, in);
  const base::Stop* const stop = base::current_stop();
  std::int64_t position = 0;
  for (Odometer o(p.window.out, {}); !o.done(); o.next(), ++position) {
    if (stop) stop->check();
    const std::span<const WindowTaps::Tap> taps = window.at(o.index());
    for (std::int64_t n = 0; n < batch; ++n) {
      for (std::int64_t m = 0; m < filters; ++m) {
        const std::int64_t first = m / (filters / p.group) * per_group;
        double sum = bias[static_cast<std::size_t>(m)];
        for (std::int64_t c = 0; c < per_group; ++c) {
          const double* plane = x.data() + (n * channels + first + c) * in_plane;
          const double* filter = w.data() + (m * per_group + c) * kernel;
          for (const WindowTaps::Tap& tap : taps) sum += filter[tap.kernel] * plane[tap.input];
        }
        result[static_cast<std::size_t>((n * filters + m) * out_plane + position)] = sum;
      }
    }
  }
  return result;
}

void conv_references(opset::ReferenceTable& table) { table.add(Conv, conv_ref); }

}  // namespace norn::ops
