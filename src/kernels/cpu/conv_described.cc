#include "kernels/cpu/conv_described.h"

#include <algorithm>
#include <utility>

#include "kernels/config_key.h"
#include "kernels/cpu/extents.h"

namespace norn::kernels {
inline namespace conv_described_cc {
namespace {

using desc = dnnl::memory::desc;

dnnl_dims resized(const Shape& dims, std::int64_t first, std::int64_t channels, std::int64_t rows) {
  dnnl_dims result(dims.begin(), dims.end());
  result[0] = first;
  result[1] = channels;
  result[2] = rows;
  return result;
}

dnnl_dims weight_dims(const ConvGeometry& g, std::int64_t channels) {
  const ConvConfig& c = g.config;
  dnnl_dims dims;
  if (g.group > 1)
    dims = {g.group, channels / g.group};
  else
    dims = {channels};
  dims.insert(dims.end(), c.w.begin() + 1, c.w.end());
  return dims;
}

std::int64_t pixels_of(const ConvGeometry& g, const ConvSliceShape& s) { return s.images * s.out_rows * g.out_row; }

desc matrix(std::int64_t rows, std::int64_t columns) { return dense_desc({rows, columns}); }

bool may_be_product(const ConvGeometry& g, const ConvSliceShape& s) {
  const ConvConfig& c = g.config;
  const auto all = [](const Shape& sizes, std::int64_t value) {
    return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size == value; });
  };
  if (g.group != 1 || g.window != 1 || g.is_rounded() || !all(c.strides, 1) || !all(c.pads_begin, 0) ||
      !all(c.pads_end, 0))
    return false;
  const std::int64_t pixels = pixels_of(g, s), depth = c.w[1];
  return pixels <= kMostOneDnn / 4 && bounded_product({pixels, depth}, kMostOneDnn) &&
         bounded_product({pixels, s.channels}, kMostOneDnn);
}

// The steps as post-ops; false if oneDNN has none for one of them.
bool add_posts(const ConvGeometry& g, const std::vector<Spread>& spreads, const ConvSliceShape& s, bool is_product,
               dnnl::primitive_attr& attr, std::vector<BinaryPost>& binaries) {
  const ConvConfig& c = g.config;
  dnnl::post_ops ops;
  auto desc_of = [&](std::size_t, Spread spread) { return slice_extra(g, s, spread, is_product); };
  if (!append_posts(c.post, spreads, c.in_place_extra, desc_of, ops, binaries)) return false;
  attr = attributes(ops);
  return true;
}

dnnl::convolution_forward::primitive_desc convolution(const ConvGeometry& g, const ConvSliceShape& s,
                                                      const dnnl::primitive_attr& attr) {
  const ConvConfig& c = g.config;
  dnnl_dims dilations(c.dilations.begin(), c.dilations.end()), begin(c.pads_begin.begin(), c.pads_begin.end()),
      end(c.pads_end.begin(), c.pads_end.end()), strides(c.strides.begin(), c.strides.end());
  for (auto& d : dilations) --d;
  begin[0] = s.pad_top;
  end[0] = s.pad_bottom;
  const desc wide = channels_last_desc(resized(c.x, s.images, c.x[1], s.in_rows));
  const desc x(wide.get_dims(), g.factors, wide.get_strides());
  const desc out = channels_last_desc(resized(c.out, s.images, s.channels, s.out_rows));
  const desc w(weight_dims(g, s.channels), g.factors, dnnl::memory::format_tag::any);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto how = dnnl::algorithm::convolution_direct;
  Making making;
  if (c.has_bias)
    return {cpu_engine(), kind, how, x, w, slice_bias(s.channels, false), out, strides, dilations, begin, end, attr};
  return {cpu_engine(), kind, how, x, w, out, strides, dilations, begin, end, attr};
}

// Empty where oneDNN would pack the weights anew at each call: its convolutions are faster then.
dnnl::matmul::primitive_desc product(const ConvGeometry& g, const ConvSliceShape& s, const dnnl::primitive_attr& attr) {
  const std::int64_t pixels = pixels_of(g, s), depth = g.config.w[1];
  const desc x = matrix(pixels, depth), out = matrix(pixels, s.channels);
  const desc w({depth, s.channels}, g.factors, dnnl::memory::format_tag::any);
  constexpr bool kMayBeEmpty = true;
  dnnl::matmul::primitive_desc pd;
  {
    Making making;
    pd = g.config.has_bias
             ? dnnl::matmul::primitive_desc(cpu_engine(), x, w, slice_bias(s.channels, true), out, attr, kMayBeEmpty)
             : dnnl::matmul::primitive_desc(cpu_engine(), x, w, out, attr, kMayBeEmpty);
  }
  const bool packs_once = pd && std::string(pd.impl_info_str()).rfind("brg", 0) == 0;
  return packs_once ? pd : dnnl::matmul::primitive_desc();
}

// All that a slice's description depends on.
std::string slice_key(const char* what, const ConvGeometry& g, const std::vector<Spread>& spreads,
                      const ConvSliceShape& s, bool posts) {
  const ConvConfig& c = g.config;
  std::string key = what;
  key::append(key, resized(c.x, s.images, c.x[1], s.in_rows));
  key::append(key, resized(c.out, s.images, s.channels, s.out_rows));
  key::append(key, Shape{s.pad_top, s.pad_bottom, c.group, c.has_bias, posts, g.is_rounded()});
  for (const Shape* sizes : {&c.w, &c.strides, &c.dilations, &c.pads_begin, &c.pads_end}) key::append(key, *sizes);
  if (!posts) return key;
  key::append(key, c.post);
  key::append(key, spreads);
  key::append(key, c.in_place_extra);
  return key;
}

std::shared_ptr<const DescribedSlice> describe_slice(const ConvGeometry& g, const std::vector<Spread>& spreads,
                                                     const ConvSliceShape& s, bool posts) {
  auto made = std::make_shared<DescribedSlice>();
  for (const bool is_product : {true, false}) {
    if (is_product && !may_be_product(g, s)) continue;
    dnnl::primitive_attr attr = attributes({});
    made->binaries.clear();
    if (posts && !add_posts(g, spreads, s, is_product, attr, made->binaries))
      throw dnnl::error(dnnl_unimplemented, "steps");
    if (is_product)
      made->pd = product(g, s, attr);
    else
      made->pd = convolution(g, s, attr);
    made->is_product = is_product;
    if (made->pd) break;
  }
  made->implementation = made->pd.impl_info_str();
  return made;
}

}  // namespace
}  // namespace conv_described_cc

std::vector<Spread> conv_spreads(const ConvConfig& c) {
  std::vector<Spread> spreads;
  for (const ExtraOperand& e : c.extra) {
    Spread s = spread_of(e.dims, c.out, 1);
    // The primitive's output has its channels last whatever the configuration's layout.
    if (s == Spread::Full && e.layout != Layout::ChannelsLast) s = Spread::None;
    spreads.push_back(s);
  }
  return spreads;
}

std::shared_ptr<const DescribedSlice> described_slice(const ConvGeometry& g, const std::vector<Spread>& spreads,
                                                      const ConvSliceShape& s, bool posts, PackedConstants* store) {
  // The one described last without a store: a caller that asks whether a convolution is taken makes its kernel next.
  thread_local std::pair<std::string, std::shared_ptr<const DescribedSlice>> last;
  const std::string key = slice_key("onednn conv ", g, spreads, s, posts);
  const auto make = [&] {
    return last.second && last.first == key ? last.second : describe_slice(g, spreads, s, posts);
  };
  if (store) {
    return std::static_pointer_cast<const DescribedSlice>(
        store->get({}, 0, key, [&]() -> std::shared_ptr<const void> { return make(); }));
  }
  auto found = make();
  last.second = nullptr;
  last.first = key;
  last.second = found;
  return found;
}

std::string slice_primitive_key(const ConvGeometry& g, const std::vector<Spread>& spreads, const ConvSliceShape& s,
                                bool posts) {
  return slice_key("onednn conv code ", g, spreads, s, posts);
}

std::shared_ptr<const dnnl::primitive> slice_primitive(const ConvGeometry& g, const std::vector<Spread>& spreads,
                                                       const ConvSliceShape& s, bool posts, const DescribedSlice& of,
                                                       PackedConstants* store) {
  const auto make = [&] {
    Making making;
    return std::make_shared<const dnnl::primitive>(of.pd);
  };
  if (!store) return make();
  return std::static_pointer_cast<const dnnl::primitive>(store->get(
      {}, 0, slice_primitive_key(g, spreads, s, posts), [&]() -> std::shared_ptr<const void> { return make(); }));
}

desc plain_slice_weights(const ConvGeometry& g, std::int64_t channels, bool is_product) {
  if (!is_product) return dense_desc(weight_dims(g, channels));
  const std::int64_t depth = g.config.w[1];
  return {{depth, channels}, dnnl::memory::data_type::f32, dnnl_dims{1, depth}};
}

desc slice_bias(std::int64_t channels, bool is_product) {
  return is_product ? dense_desc({1, channels}) : dense_desc({channels});
}

desc slice_extra(const ConvGeometry& g, const ConvSliceShape& s, Spread spread, bool is_product) {
  if (is_product)
    return matrix(spread == Spread::Full ? pixels_of(g, s) : 1, spread == Spread::Scalar ? 1 : s.channels);
  dnnl_dims dims(g.config.out.size(), 1);
  if (spread == Spread::Channel) dims[1] = s.channels;
  if (spread == Spread::Full) return channels_last_desc(resized(g.config.out, s.images, s.channels, s.out_rows));
  return dense_desc(dims);
}

}  // namespace norn::kernels
