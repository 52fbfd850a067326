// The ways to convolve, for the table in conv.cc. Internal to the kernels.
#pragma once
#include <span>

#include "kernels/cpu/conv.h"

namespace norn::kernels {

// Why no candidate accepts the configuration; "" if it is valid.
std::string conv_config_refusal(const ConvConfig& config);

bool all_are_one(std::span<const std::int64_t> values);
// Whether each output is of the pixel at its place: windows of one pixel without strides, and so without padding.
bool takes_each_pixel(const Shape& x, const Shape& w, const Shape& out, const Shape& strides);

// Why the sizes of a valid configuration are beyond oneDNN's integers; "" if they are not.
std::string onednn_conv_size_refusal(const ConvConfig& config);
std::string onednn_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_onednn_conv(const ConvConfig& config, PackedConstants& packed);

// The same with factors rounded to bfloat16.
std::string onednn_conv_bf16_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_onednn_conv_bf16(const ConvConfig& config, PackedConstants& packed);

// Windows of 3 x 3 in a quarter of the products.
std::string winograd_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_winograd_conv(const ConvConfig& config, PackedConstants& packed);
// Whether it takes less time than all products in bfloat16.
bool winograd_beats_bf16(const ConvConfig& config);

// Windows of one pixel: products of pixels with panels of weights.
std::string pointwise_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_pointwise_conv(const ConvConfig& config, PackedConstants& packed);

// Windows of any size, by the addresses of pixels.
std::string window_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_window_conv(const ConvConfig& config, PackedConstants& packed);
// Few filters, by dots of elements of pixels.
std::string dot_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_dot_conv(const ConvConfig& config, PackedConstants& packed);
std::string window_conv_bf16_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_window_conv_bf16(const ConvConfig& config, PackedConstants& packed);

// Depthwise convolutions, channels first.
std::optional<std::int64_t> cost_of_plane_conv(const ConvSizes& sizes);
std::string plane_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_plane_conv(const ConvConfig& config, PackedConstants& packed);
// Any convolution, channels first: by windows of so many elements, and panels of so many rows in the first cache.
inline constexpr std::int64_t kMostChannelsFirstTaps = 1024, kChannelsFirstDepth = 160;
inline constexpr std::int64_t kMostTilesInPlace = 2;  // of filters, which read pixels where they lie
std::optional<std::int64_t> cost_of_channels_first_conv(const ConvSizes& sizes);
double channels_first_conv_ns(const ConvSizes& sizes);  // on one thread
double plane_conv_ns(const ConvSizes& sizes);
// What `ns` are more than with channels last, counted as elements that are reordered.
std::int64_t beyond_channels_last(const ConvSizes& sizes, double ns);
double reorder_ns(double elements);  // of an element, where so many change their layout
std::string channels_first_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_channels_first_conv(const ConvConfig& config, PackedConstants& packed);
// Windows of one pixel by many weights that are not constant, channels first.
bool is_conv_product(const ConvSizes& sizes);
std::string product_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_product_conv(const ConvConfig& config, PackedConstants& packed);
// Windows of 3 x 3 over groups of few channels.
std::string grouped_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_grouped_conv(const ConvConfig& config, PackedConstants& packed);
// Depthwise convolutions of 3 x 3, or along one dimension, where our own is the faster.
std::string simd_depthwise_refuses(const ConvConfig& config);
// Depthwise convolutions of images by windows of 5 or 7 columns; of 3, where outputs of a row are fewer than this. Of
// long rows, memory decides: all channels of a pixel are read together.
inline constexpr std::int64_t kDepthwiseLong = 30;
std::string depthwise_rows_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_depthwise_rows(const ConvConfig& config, PackedConstants& packed);
// Windows over one dimension: nearly as fast as oneDNN's, of which each takes milliseconds to make.
std::string line_conv_refuses(const ConvConfig& config);
std::string simd_conv_refuses(const ConvConfig& config);
std::unique_ptr<Kernel> make_simd_conv(const ConvConfig& config, PackedConstants& packed);

}  // namespace norn::kernels
