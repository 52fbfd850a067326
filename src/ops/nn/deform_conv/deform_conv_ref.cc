// For each position of the output, the elements under the moved window are read first: one for each kernel position and
// channel, with linear interpolation, zero outside, times the mask. The filters then go over those.
#include "ops/nn/deform_conv/deform_conv.h"

#include <cmath>
#include <string>
#include <utility>

#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace deform_conv_ref_cc {
namespace {

struct OffsetTap {
  std::int64_t offset;
  double weight;
};

// The elements of a plane around a place, and their weights.
class Around {
 public:
  explicit Around(Shape in) : in_(std::move(in)), strides_(dense_strides(in_)) {}

  void clear() { taps_.assign(1, {0, 1}); }
  // The place's coordinate along dimension d.
  void narrow(std::size_t d, double x) {
    next_.clear();
    if (x > -1 && x < static_cast<double>(in_[d])) {
      const double low = std::floor(x);
      const auto i = static_cast<std::int64_t>(low);
      for (const OffsetTap& t : taps_) {
        if (i >= 0) next_.push_back({t.offset + i * strides_[d], t.weight * (1 - (x - low))});
        if (i + 1 < in_[d] && x > low) next_.push_back({t.offset + (i + 1) * strides_[d], t.weight * (x - low)});
      }
    }
    std::swap(taps_, next_);
  }
  const std::vector<OffsetTap>& taps() const { return taps_; }

 private:
  Shape in_;
  std::vector<std::int64_t> strides_;
  std::vector<OffsetTap> taps_, next_;
};

void deform_conv_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &w = ctx.input(1), &offset = ctx.input(2);
  const DeformConvParams p = resolve_deform_conv(ctx);
  const std::int64_t batch = x.dims()[0], channels = x.dims()[1], filters = w.dims()[0], per_group = w.dims()[1];
  const Shape in(x.dims().begin() + 2, x.dims().end());
  const auto spatial = static_cast<std::int64_t>(in.size());
  const std::int64_t kernel = element_count(p.window.kernel);
  Shape y_dims{batch, filters};
  y_dims.insert(y_dims.end(), p.window.out.begin(), p.window.out.end());
  Tensor& y = ctx.output(0, x.dtype(), y_dims);
  if (y.size() == 0) return;

  const std::vector<double> xs = load_all<double>(x), ws = load_all<double>(w), moved = load_all<double>(offset),
                            bias = ctx.has_input(3) ? load_all<double>(ctx.input(3)) : std::vector<double>{},
                            masks = ctx.has_input(4) ? load_all<double>(ctx.input(4)) : std::vector<double>{};
  std::vector<double> result(static_cast<std::size_t>(y.size()));
  const std::int64_t in_plane = element_count(in), out_plane = element_count(p.window.out),
                     offset_channels = channels / p.offset_group;
  std::vector<double> read(static_cast<std::size_t>(channels * kernel));
  Around around(in);
  for (std::int64_t n = 0; n < batch; ++n) {
    std::int64_t position = 0;
    for (Odometer o(p.window.out, {}); !o.done(); o.next(), ++position) {
      for (std::int64_t g = 0; g < p.offset_group && channels > 0; ++g) {
        std::int64_t k = 0;
        for (Odometer tap(p.window.kernel, {}); !tap.done(); tap.next(), ++k) {
          const std::int64_t move = (n * p.offset_group + g) * kernel + k;
          around.clear();
          for (std::size_t d = 0; d < in.size(); ++d) {
            const std::int64_t start = o.index()[d] * p.window.strides[d] - p.window.pads_begin[d];
            const std::int64_t at = start + tap.index()[d] * p.window.dilations[d];
            const std::int64_t component = move * spatial + static_cast<std::int64_t>(d);
            around.narrow(d,
                          static_cast<double>(at) + moved[static_cast<std::size_t>(component * out_plane + position)]);
          }
          const double factor = masks.empty() ? 1 : masks[static_cast<std::size_t>(move * out_plane + position)];
          for (std::int64_t c = g * offset_channels; c < (g + 1) * offset_channels; ++c) {
            double sum = 0;
            for (const OffsetTap& t : around.taps())
              sum += t.weight * xs[static_cast<std::size_t>((n * channels + c) * in_plane + t.offset)];
            read[static_cast<std::size_t>(c * kernel + k)] = sum * factor;
          }
        }
      }
      for (std::int64_t m = 0; m < filters; ++m) {
        const std::int64_t first = m / (filters / p.group) * per_group;
        double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(m)];
        for (std::int64_t i = 0; i < per_group * kernel; ++i)
          sum += ws[static_cast<std::size_t>(m * per_group * kernel + i)] *
                 read[static_cast<std::size_t>(first * kernel + i)];
        result[static_cast<std::size_t>((n * filters + m) * out_plane + position)] = sum;
      }
    }
  }
  store_all(y, result);
}

}  // namespace
}  // namespace deform_conv_ref_cc

void deform_conv_references(opset::ReferenceTable& table) { table.add(DeformConv, deform_conv_ref); }

}  // namespace norn::ops
