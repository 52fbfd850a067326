// Conv: for batch n, filter m of group g and output position o
//
//   Y[n, m, o] = B[m] + sum over c, k of W[m, c, k] * X[n, g * C/group + c, o * stride + k * dilation - pad]
//
// where k goes over the kernel's positions that lie inside the input. Summed in double, in that order.
#include "ops/common/loops.h"
#include "ops/nn/conv/conv.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void conv_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &w = ctx.input(1);
  const ConvParams p = resolve_conv(ctx, x.dims(), w.dims());
  const std::int64_t batch = x.dims()[0], channels = x.dims()[1], filters = w.dims()[0], per_group = w.dims()[1];
  std::vector<double> bias(static_cast<std::size_t>(filters), 0.0);
  if (ctx.has_input(2)) {
    if (ctx.input(2).dims() != Shape{filters}) {
      ctx.fail("B is " + to_string(ctx.input(2).dims()) + ", but W has " + std::to_string(filters) + " filters");
    }
    bias = load_all<double>(ctx.input(2));
  }
  const std::vector<double> xs = load_all<double>(x), ws = load_all<double>(w);
  Shape out_dims{batch, filters};
  out_dims.insert(out_dims.end(), p.window.out.begin(), p.window.out.end());
  Tensor& y = ctx.output(0, x.dtype(), out_dims);
  if (y.size() == 0) return;

  const Shape in(x.dims().begin() + 2, x.dims().end());
  const std::int64_t in_plane = element_count(in), out_plane = element_count(p.window.out);
  const std::int64_t kernel = element_count(p.window.kernel);
  std::vector<double> result(static_cast<std::size_t>(y.size()));
  WindowTaps window(p.window, in);
  std::int64_t position = 0;
  for (Odometer o(p.window.out, {}); !o.done(); o.next(), ++position) {
    const std::span<const WindowTaps::Tap> taps = window.at(o.index());
    for (std::int64_t n = 0; n < batch; ++n) {
      for (std::int64_t m = 0; m < filters; ++m) {
        const std::int64_t first = m / (filters / p.group) * per_group;
        double sum = bias[static_cast<std::size_t>(m)];
        for (std::int64_t c = 0; c < per_group; ++c) {
          const double* plane = xs.data() + (n * channels + first + c) * in_plane;
          const double* filter = ws.data() + (m * per_group + c) * kernel;
          for (const WindowTaps::Tap& tap : taps) sum += filter[tap.kernel] * plane[tap.input];
        }
        result[static_cast<std::size_t>((n * filters + m) * out_plane + position)] = sum;
      }
    }
  }
  store_all(y, result);
}

}  // namespace

void conv_references(opset::ReferenceTable& table) { table.add(Conv, conv_ref); }

}  // namespace norn::ops
