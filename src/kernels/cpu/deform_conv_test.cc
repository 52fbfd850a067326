// Convolution over moved places against its definition in double: every element of the image weighs by its distance.
#include "kernels/cpu/deform_conv.h"

#include <cmath>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

struct DeformSizes {
  std::int64_t batch, channels, filters, group, offset_group, height, width, kernel, stride, dilation, pad;
};

TEST(DeformConv, IsTheSumOverPlaces) {
  for (const DeformSizes& z : {DeformSizes{1, 16, 24, 1, 1, 13, 17, 3, 1, 1, 1},
                               {2, 12, 6, 2, 3, 9, 11, 3, 2, 2, 2},
                               {1, 70, 5, 5, 2, 6, 5, 2, 1, 1, 0},
                               {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}})
    for (const bool full : {true, false}) {
      const auto out_size = [&](std::int64_t in) {
        return (in + 2 * z.pad - z.dilation * (z.kernel - 1) - 1) / z.stride + 1;
      };
      const std::int64_t h = out_size(z.height), w = out_size(z.width), taps = z.kernel * z.kernel;
      DeformConvConfig c;
      c.x = {z.batch, z.channels, z.height, z.width};
      c.w = {z.filters, z.channels / z.group, z.kernel, z.kernel};
      c.out = {z.batch, z.filters, h, w};
      c.group = z.group;
      c.offset_group = z.offset_group;
      c.strides = {z.stride, z.stride};
      c.dilations = {z.dilation, z.dilation};
      c.pads_begin = {z.pad, z.pad};
      c.has_bias = c.has_mask = full;
      auto x = random_floats(element_count(c.x), 1), weights = random_floats(element_count(c.w), 2),
           offsets = random_floats(z.batch * z.offset_group * taps * 2 * h * w, 3, -2, 2),
           bias = random_floats(z.filters, 4), mask = random_floats(z.batch * z.offset_group * taps * h * w, 5, 0, 1);
      for (std::size_t i = 0; i < offsets.size(); i += 7) offsets[i] = std::round(offsets[i]);
      std::vector<double> want;
      const auto at = [](const auto& v, std::int64_t i) { return static_cast<double>(v[static_cast<std::size_t>(i)]); };
      for (std::int64_t n = 0; n < z.batch; ++n)
        for (std::int64_t f = 0; f < z.filters; ++f)
          for (std::int64_t p = 0; p < h * w; ++p) {
            double sum = full ? at(bias, f) : 0;
            for (std::int64_t k = 0; k < c.w[1]; ++k)
              for (std::int64_t t = 0; t < taps; ++t) {
                const std::int64_t channel = f / (z.filters / z.group) * c.w[1] + k,
                                   move = (n * z.offset_group + channel / (z.channels / z.offset_group)) * taps + t;
                const double y = static_cast<double>(p / w * z.stride - z.pad + t / z.kernel * z.dilation) +
                                 at(offsets, 2 * move * h * w + p);
                const double v = static_cast<double>(p % w * z.stride - z.pad + t % z.kernel * z.dilation) +
                                 at(offsets, (2 * move + 1) * h * w + p);
                double read = 0;
                for (std::int64_t i = 0; i < z.height; ++i)
                  for (std::int64_t j = 0; j < z.width; ++j)
                    read += at(x, ((n * z.channels + channel) * z.height + i) * z.width + j) *
                            std::max(0.0, 1 - std::abs(y - static_cast<double>(i))) *
                            std::max(0.0, 1 - std::abs(v - static_cast<double>(j)));
                if (full) read *= at(mask, move * h * w + p);
                sum += read * at(weights, (f * c.w[1] + k) * taps + t);
              }
            want.push_back(sum);
          }
      ASSERT_EQ(deform_conv_candidates()[0].refuses(c), "");
      for (const bool constant : {false, true}) {
        if (constant) c.weights = {weights.data(), true, weights.size() * sizeof(float)};
        Constants constants;
        const auto kernel = deform_conv_candidates()[0].make(c, constants);
        EXPECT_EQ(kernel->reads(1), !constant);
        const auto got = run_at_widths(*kernel,
                                       {x.data(), constant ? nullptr : weights.data(), offsets.data(),
                                        full ? bias.data() : nullptr, full ? mask.data() : nullptr},
                                       std::vector<float>(want.size(), -7.0f));
        expect_close(got, want, 1e-4, "deform conv of " + to_string(c.x));
      }
    }
}

}  // namespace
}  // namespace norn::kernels
