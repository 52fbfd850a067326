#include "program/upsampling.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "ops/nn/conv_transpose/conv_transpose.h"
#include "program/node_parameters.h"

namespace norn::program {
namespace {

// By dimension: at which position of the window each place of a block finds the element that a tap multiplies.
struct Axis {
  std::int64_t low = 0, high = 0;               // the window's positions, from the element that the block stands for
  std::vector<std::vector<std::int64_t>> taps;  // [place][position]
};

Axis axis_of(std::int64_t stride, std::int64_t kernel, std::int64_t dilation, std::int64_t pad) {
  Axis axis;
  // Element i and tap t meet in output i * stride + t * dilation - pad.
  const auto each = [&](const auto& f) {
    for (std::int64_t place = 0; place < stride; ++place)
      for (std::int64_t t = 0; t < kernel; ++t)
        if (const std::int64_t off = place + pad - t * dilation; off % stride == 0) f(place, t, off / stride);
  };
  each([&](std::int64_t, std::int64_t, std::int64_t position) {
    axis.low = std::min(axis.low, position);
    axis.high = std::max(axis.high, position);
  });
  const auto width = static_cast<std::size_t>(axis.high - axis.low + 1);
  axis.taps.assign(static_cast<std::size_t>(stride), std::vector<std::int64_t>(width, Upsampling::kNoTap));
  each([&](std::int64_t place, std::int64_t t, std::int64_t position) {
    axis.taps[static_cast<std::size_t>(place)][static_cast<std::size_t>(position - axis.low)] = t;
  });
  return axis;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// The digits of i, of these bases.
std::vector<std::int64_t> digits(std::int64_t i, const std::vector<std::int64_t>& bases) {
  std::vector<std::int64_t> found(bases.size());
  for (std::size_t d = bases.size(); d-- > 0; i /= bases[d]) found[d] = i % bases[d];
  return found;
}

}  // namespace

std::int64_t Upsampling::places() const { return product(blocks); }
std::int64_t Upsampling::positions() const { return product(window); }

std::optional<Upsampling> upsampling_of(const Node& node, const Shape& w) {
  constexpr std::int64_t kLargest = 256, kSize = std::int64_t{1} << 20;
  constexpr std::int64_t kFewFilters = 8;  // of places side by side, for a vector of them
  constexpr double kMostTaps = 1 << 16;
  constexpr double kMostMore = 2.5;  // times as many products, a byte of which takes a quarter of one of float's time
  const NodeParameters parameters(node);
  if (!node.attributes().find_ints("output_shape").value_or(std::vector<std::int64_t>{}).empty()) return {};
  const ops::WindowAttrs window = ops::read_window(node.attributes(), w.size() - 2);
  for (std::size_t d = 0; d + 2 < w.size(); ++d)
    for (const std::int64_t size : {w[d + 2], window.strides[d], window.dilations[d]})
      if (size < 1 || size > kLargest) return {};
  for (std::size_t d = 0; d + 2 < w.size(); ++d)
    if (window.pads_begin[d] > kSize / 4 || window.pads_end[d] > kSize / 4) return {};
  // How much larger than its blocks the output is does not depend on the input's size.
  norn::Shape x = {1, w[0]};
  x.resize(w.size(), kSize);
  const ops::ConvTransposeParams p = ops::resolve_conv_transpose(parameters, x, w);
  Upsampling up;
  std::vector<Axis> axes;
  double products = 1, given = 1;
  for (std::size_t d = 0; d + 2 < w.size(); ++d) {
    const std::int64_t stride = p.window.strides[d], rest = p.out[d] - kSize * stride;
    if (rest % stride != 0) return {};
    axes.push_back(axis_of(stride, w[d + 2], p.window.dilations[d], p.window.pads_begin[d]));
    up.blocks.push_back(stride);
    up.more.push_back(rest / stride);
    up.window.push_back(axes.back().high - axes.back().low + 1);
    up.pads_begin.push_back(-axes.back().low);
    up.pads_end.push_back(rest / stride + axes.back().high);
    if (up.pads_begin.back() < 0 || up.pads_end.back() < 0) return {};
    products *= static_cast<double>(stride * up.window.back());
    given *= static_cast<double>(w[d + 2]);
  }
  if (w[1] * up.blocks.back() < kFewFilters) return {};
  if (products > kMostMore * given || products > kMostTaps) return {};
  const std::int64_t places = up.places(), positions = up.positions();
  for (std::int64_t place = 0; place < places; ++place) {
    const auto block = digits(place, up.blocks);
    for (std::int64_t position = 0; position < positions; ++position) {
      const auto at = digits(position, up.window);
      std::int64_t tap = 0;
      for (std::size_t d = 0; d < axes.size() && tap != Upsampling::kNoTap; ++d) {
        const std::int64_t t = axes[d].taps[static_cast<std::size_t>(block[d])][static_cast<std::size_t>(at[d])];
        tap = t == Upsampling::kNoTap ? t : tap * w[d + 2] + t;
      }
      up.taps.push_back(tap);
    }
  }
  return up;
}

norn::Tensor upsampling_weights(const Upsampling& up, const norn::Tensor& w, const norn::Tensor& zeros) {
  const std::int64_t channels = w.dims()[0], filters = w.dims()[1], places = up.places(), positions = up.positions();
  norn::Shape dims = {places * filters, channels};
  dims.insert(dims.end(), up.window.begin(), up.window.end());
  norn::Tensor made(w.dtype(), dims);
  const std::int64_t kernel = channels * filters == 0 ? 0 : w.size() / (channels * filters);
  const auto* from = static_cast<const char*>(w.data());
  auto* to = static_cast<char*>(made.mutable_data());
  for (std::int64_t place = 0; place < places; ++place)
    for (std::int64_t f = 0; f < filters; ++f) {
      const char zero = zeros.defined() ? static_cast<const char*>(zeros.data())[zeros.size() == 1 ? 0 : f] : char{0};
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t i = 0; i < positions; ++i) {
          const std::int64_t tap = up.taps[static_cast<std::size_t>(place * positions + i)];
          *to++ = tap == Upsampling::kNoTap ? zero : from[(c * filters + f) * kernel + tap];
        }
    }
  return made;
}

norn::Tensor for_each_place(const Upsampling& up, const norn::Tensor& by_filter) {
  if (by_filter.size() == 1) return by_filter;
  const std::int64_t places = up.places();
  norn::Tensor made(by_filter.dtype(), {places * by_filter.size()});
  auto* to = static_cast<char*>(made.mutable_data());
  for (std::int64_t place = 0; place < places; ++place, to += by_filter.bytes())
    std::memcpy(to, by_filter.data(), by_filter.bytes());
  return made;
}

}  // namespace norn::program
