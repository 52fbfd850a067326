#include "kernels/cpu/conv.h"

#include <algorithm>

#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/instruction_set.h"

namespace norn::kernels {

std::string conv_config_refusal(const ConvConfig& c) {
  const std::size_t rank = c.x.size();
  if (rank < 3) return "no spatial dimensions";
  const std::size_t spatial = rank - 2;
  if (c.w.size() != rank || c.out.size() != rank || c.strides.size() != spatial || c.dilations.size() != spatial ||
      c.pads_begin.size() != spatial || c.pads_end.size() != spatial)
    return "ranks do not fit together";
  for (const Shape* dims : {&c.x, &c.w, &c.out})
    for (std::int64_t d : *dims)
      if (d <= 0) return "an empty tensor";
  if (std::string why = extent_refusal({&c.x, &c.w, &c.out}); !why.empty()) return why;
  if (std::string why = extent_refusal(c.extra); !why.empty()) return why;
  if (!bounded(c.pads_begin) || !bounded(c.pads_end)) return "padding beyond any memory";
  if (c.group < 1 || c.x[1] % c.group != 0 || c.x[1] / c.group != c.w[1] || c.w[0] % c.group != 0 ||
      c.out[1] != c.w[0] || c.out[0] != c.x[0])
    return "channels do not fit together";
  for (std::size_t d = 0; d < spatial; ++d) {
    if (c.pads_begin[d] < 0 || c.pads_end[d] < 0) return "negative padding";
    if (c.strides[d] < 1 || c.dilations[d] < 1) return "a stride or dilation below 1";
    if (!bounded_product({c.w[d + 2], c.dilations[d]}) || !bounded_product({c.out[d + 2], c.strides[d]}))
      return "windows that reach beyond any memory";
    const std::int64_t room = c.x[d + 2] + c.pads_begin[d] + c.pads_end[d] - (c.w[d + 2] - 1) * c.dilations[d] - 1;
    if (room < 0 || room / c.strides[d] + 1 != c.out[d + 2]) return "output dims that do not follow from the others";
  }
  return "";
}

bool all_are_one(std::span<const std::int64_t> values) {
  return std::ranges::all_of(values, [](std::int64_t v) { return v == 1; });
}

bool takes_each_pixel(const Shape& x, const Shape& w, const Shape& out, const Shape& strides) {
  return all_are_one(std::span(w).subspan(2)) && all_are_one(strides) &&
         std::equal(x.begin() + 2, x.end(), out.begin() + 2);
}

inline namespace conv_cc {
namespace {

constexpr Candidate<ConvConfig> kConvCandidates[] = {
    {"winograd", winograd_conv_refuses, make_winograd_conv, true},
    {"simd-pointwise", pointwise_conv_refuses, make_pointwise_conv},
    {"simd-planes", plane_conv_refuses, make_plane_conv},
#ifdef NORN_ONEDNN
    {"simd-depthwise", simd_depthwise_refuses, make_simd_conv},
#endif
    {"simd-depthwise-rows", depthwise_rows_refuses, make_depthwise_rows},
#ifdef NORN_ONEDNN
    {"simd-grouped", grouped_conv_refuses, make_grouped_conv},
#endif
    {"simd-windows", window_conv_refuses, make_window_conv},
    {"simd-dots", dot_conv_refuses, make_dot_conv},
#ifdef NORN_ONEDNN
    {"simd-lines", line_conv_refuses, make_simd_conv},
    {"onednn", onednn_conv_refuses, make_onednn_conv, true},
#endif
    {"product", product_conv_refuses, make_product_conv},
    {"simd-channels-first", channels_first_conv_refuses, make_channels_first_conv},
    {"simd", simd_conv_refuses, make_simd_conv},
};

}  // namespace
}  // namespace conv_cc

std::span<const Candidate<ConvConfig>> conv_candidates() { return kConvCandidates; }

std::span<const Candidate<ConvConfig>> channels_first_conv_candidates() {
  static constexpr Candidate<ConvConfig> kFirst[] = {
      {"simd-planes", plane_conv_refuses, make_plane_conv},
      {"product", product_conv_refuses, make_product_conv},
      {"simd-channels-first", channels_first_conv_refuses, make_channels_first_conv},
  };
  return kFirst;
}

std::optional<std::int64_t> cost_of_channels_first(const ConvSizes& sizes) {
  const auto by_planes = cost_of_plane_conv(sizes);
  if (by_planes) return by_planes;
  if (sizes.may_round && sizes.has_constant_weights && has_bfloat16_products()) return {};
  return cost_of_channels_first_conv(sizes);
}

std::span<const Candidate<ConvConfig>> conv_bf16_candidates() {
  static constexpr Candidate<ConvConfig> kRounding[] = {
      {"simd-bf16", window_conv_bf16_refuses, make_window_conv_bf16},
#ifdef NORN_ONEDNN
      {"onednn-bf16", onednn_conv_bf16_refuses, make_onednn_conv_bf16, true},
#endif
  };
  return kRounding;
}

}  // namespace norn::kernels
