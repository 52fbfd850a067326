// A slice of a convolution as oneDNN describes it. Where the window is one pixel that neither skips nor leaves the
// image, that is a product of pixels with the weights: as fast as oneDNN's convolution of them, described and generated
// in a fifth of the time or less, and of weights in blocks whose width follows from their number alone, while a
// convolution chooses the width by the size of the image. Internal to the kernels.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/conv_cut.h"
#include "kernels/cpu/onednn.h"

namespace norn::kernels {

struct DescribedSlice {
  dnnl::primitive_desc pd;
  bool is_product = false;
  std::vector<BinaryPost> binaries;
  std::string implementation;
};

// How a convolution's operands of steps meet its output.
std::vector<Spread> conv_spreads(const ConvConfig& c);

// With its steps if `posts`. Throws dnnl::error where oneDNN does not take the slice, or its steps.
std::shared_ptr<const DescribedSlice> described_slice(const ConvGeometry& g, const std::vector<Spread>& spreads,
                                                      const ConvSliceShape& s, bool posts, PackedConstants* store);

// All that its code depends on.
std::string slice_primitive_key(const ConvGeometry& g, const std::vector<Spread>& spreads, const ConvSliceShape& s,
                                bool posts);
std::shared_ptr<const dnnl::primitive> slice_primitive(const ConvGeometry& g, const std::vector<Spread>& spreads,
                                                       const ConvSliceShape& s, bool posts, const DescribedSlice& of,
                                                       PackedConstants* store);

// What it reads, as it lies: weights of so many output channels, their biases, operands of steps.
dnnl::memory::desc plain_slice_weights(const ConvGeometry& g, std::int64_t channels, bool is_product);
dnnl::memory::desc slice_bias(std::int64_t channels, bool is_product);
dnnl::memory::desc slice_extra(const ConvGeometry& g, const ConvSliceShape& s, Spread spread, bool is_product);

}  // namespace norn::kernels
