// Conv by taps: for each filter element, whole rows of the input are added to rows of the output plane, so that the
// bounds are worked out once per tap and the inner loop has neither a test nor a division.
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/nn/conv/conv.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

// What one kernel position contributes: output rows and the input rows they read.
struct Tap {
  struct Row {
    std::int64_t out, in;  // offsets of the row's first element within a plane
  };
  std::vector<Row> rows;
  std::int64_t length = 0;
};

// Output indices o with 0 <= o*stride + shift < in, as [first, last).
std::pair<std::int64_t, std::int64_t> valid(std::int64_t shift, std::int64_t stride, std::int64_t in,
                                            std::int64_t out) {
  const std::int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const std::int64_t last = in > shift ? (in - shift + stride - 1) / stride : 0;
  return {std::min(first, out), std::max(std::min(first, out), std::min(last, out))};
}

Tap make_tap(const Window& w, std::span<const std::int64_t> position, const Shape& in) {
  const std::size_t n = in.size();
  Tap tap;
  Shape rows;
  std::int64_t out_at = 0, in_at = 0;
  std::vector<std::int64_t> out_steps, in_steps;
  const std::vector<std::int64_t> out_strides = dense_strides(w.out), in_strides = dense_strides(in);
  for (std::size_t d = 0; d < n; ++d) {
    const std::int64_t shift = position[d] * w.dilations[d] - w.pads_begin[d];
    const auto [first, last] = valid(shift, w.strides[d], in[d], w.out[d]);
    out_at += first * out_strides[d];
    in_at += (first * w.strides[d] + shift) * in_strides[d];
    if (d + 1 == n) {
      tap.length = last - first;
    } else {
      rows.push_back(last - first);
      out_steps.push_back(out_strides[d]);
      in_steps.push_back(w.strides[d] * in_strides[d]);
    }
  }
  if (n == 0) tap.length = 1;
  for (Odometer o(rows, {out_steps, in_steps}); !o.done(); o.next()) {
    tap.rows.push_back({out_at + o.offset(0), in_at + o.offset(1)});
  }
  return tap;
}

void conv_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &w = ctx.input(1);
  const std::int64_t group = ctx.attrs().i("group");
  if (x.rank() < 2 || w.rank() != x.rank()) {
    ctx.fail("X " + to_string(x.dims()) + " and W " + to_string(w.dims()) + " need the same rank, at least 2");
  }
  const std::int64_t batch = x.dims()[0], channels = x.dims()[1], filters = w.dims()[0], per_group = w.dims()[1];
  if (group < 1 || channels / group != per_group || channels % group != 0 || filters % group != 0) {
    ctx.fail("X has " + std::to_string(channels) + " channels, W " + to_string(w.dims()) + " does not fit them in " +
             std::to_string(group) + " groups");
  }
  const Shape in(x.dims().begin() + 2, x.dims().end()), kernel(w.dims().begin() + 2, w.dims().end());
  if (const auto given = ctx.attrs().find_ints("kernel_shape"); given && *given != kernel) {
    ctx.fail("kernel_shape is " + to_string(*given) + ", but W is " + to_string(w.dims()));
  }
  const Window window = resolve_window(ctx.attrs(), in, kernel, false);

  std::vector<double> bias(static_cast<std::size_t>(filters), 0.0);
  if (ctx.has_input(2)) {
    if (ctx.input(2).dims() != Shape{filters}) {
      ctx.fail("B is " + to_string(ctx.input(2).dims()) + ", but W has " + std::to_string(filters) + " filters");
    }
    bias = load_all<double>(ctx.input(2));
  }
  const std::vector<double> xs = load_all<double>(x), ws = load_all<double>(w);

  Shape out_dims{batch, filters};
  out_dims.insert(out_dims.end(), window.out.begin(), window.out.end());
  Tensor& y = ctx.output(0, x.dtype(), out_dims);
  if (y.size() == 0) return;

  std::vector<Tap> taps;
  for (Odometer k(kernel, {}); !k.done(); k.next()) taps.push_back(make_tap(window, k.index(), in));
  const std::int64_t in_plane = element_count(in), out_plane = element_count(window.out);
  const std::int64_t step = in.empty() ? 1 : window.strides.back();
  const std::int64_t filters_per_group = filters / group;
  std::vector<double> plane(static_cast<std::size_t>(out_plane));
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t m = 0; m < filters; ++m) {
      plane.assign(plane.size(), bias[static_cast<std::size_t>(m)]);
      const std::int64_t first_channel = m / filters_per_group * per_group;
      for (std::int64_t c = 0; c < per_group; ++c) {
        const double* source = xs.data() + (n * channels + first_channel + c) * in_plane;
        const double* filter = ws.data() + (m * per_group + c) * static_cast<std::int64_t>(taps.size());
        for (std::size_t t = 0; t < taps.size(); ++t) {
          const double weight = filter[t];
          const std::int64_t length = taps[t].length;
          for (const Tap::Row& row : taps[t].rows) {
            const double* from = source + row.in;
            double* to = plane.data() + row.out;
            for (std::int64_t i = 0; i < length; ++i) to[i] += weight * from[i * step];
          }
        }
      }
      store<double>(y, (n * filters + m) * out_plane, out_plane, plane.data());
    }
  }
}

}  // namespace

void conv_references(opset::ReferenceTable& table) { table.add(Conv, conv_ref); }

}  // namespace norn::ops
