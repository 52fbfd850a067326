// Products of 8-bit integers by our own f32 matrix product, exact on every machine and for every zero point: numbers
// without their zero points are at most 255, and sums of 256 products of them are whole numbers below 2^24. Longer sums
// are added up in int32.
#include <algorithm>
#include <limits>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace int8_simd_products_cc {
namespace {

using Op = Int8Operand;

constexpr std::int64_t kExact = 256;  // products of which f32 holds the sum
constexpr std::int64_t kRows = 32;    // done together
constexpr std::int64_t kTasks = 16;

template <class T>
void without_zero(const void* from, std::int64_t at, std::int64_t n, std::int32_t zero, float* to) {
  const T* x = static_cast<const T*>(from) + at;
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(x[i] - zero);
}
void without_zero(DataType type, const void* from, std::int64_t at, std::int64_t n, std::int32_t zero, float* to) {
  if (type == DataType::Uint8) return without_zero<std::uint8_t>(from, at, n, zero, to);
  without_zero<std::int8_t>(from, at, n, zero, to);
}

// A block of rows times a matrix in panels.
struct Product {
  std::int64_t depth, columns;

  std::size_t work_bytes() const {
    const auto columns_bytes = static_cast<std::size_t>(kRows * columns) * sizeof(float);
    return align64(static_cast<std::size_t>(kRows * depth) * sizeof(float)) + 2 * align64(columns_bytes);
  }
  float* left(char* work) const { return reinterpret_cast<float*>(work); }
  const std::int32_t* multiply(char* work, std::int64_t rows, const float* panels) const {
    const GemmTable& table = gemm_table();
    const float* a = left(work);
    work += align64(static_cast<std::size_t>(kRows * depth) * sizeof(float));
    float* part = reinterpret_cast<float*>(work);
    auto* sums = reinterpret_cast<std::int32_t*>(work + align64(static_cast<std::size_t>(kRows * columns) * 4));
    std::fill_n(sums, rows * columns, 0);
    for (std::int64_t k = 0; k < depth; k += kExact) {
      table.multiply(rows, columns, std::min(kExact, depth - k), a + k, depth, 1,
                     {panels + k * table.width, depth * table.width, table.width}, part, columns, nullptr, 1.0f);
      int8_table().add_whole(part, sums, rows * columns);
    }
    return sums;
  }
};

// Blocks of rows, shared by tasks, times weights in panels, which are packed once where the weights are constant.
// Scratch memory: the finisher's, each task's, and the panels where every run packs them.
template <class Config>
class BlockProducts : public Kernel {
 public:
  std::size_t scratch_bytes() const override { return scratch_; }

 protected:
  BlockProducts(const Config& config, Product product, std::int64_t channels)
      : c_(config), product_(product), finisher_(c_.output, channels, product.depth) {}

  // `floats`: of all panels; `filter`: elements of the weights that have one zero point.
  void lay_out(std::int64_t tasks, std::int64_t floats, std::int64_t filter, const std::string& key,
               PackedConstants& packed) {
    tasks_ = tasks;
    filter_ = filter;
    work_ = product_.work_bytes();
    scratch_ = align64(finisher_.scratch_bytes()) + work_ * static_cast<std::size_t>(tasks_);
    const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
    if (c_.weights.known() && (c_.w_zeros == 0 || c_.w_zero.known())) {
      packed_ = packed.get(c_.weights, 0, key + centering(c_.w_zero.data).key(), [&] {
        auto buffer = aligned_buffer(bytes);
        pack(c_.weights.data, c_.w_zero.data, static_cast<float*>(buffer.get()));
        return buffer;
      });
    } else {
      panels_at_ = scratch_;
      scratch_ += align64(bytes);
    }
  }

  // Calls block(i, a task's memory, panels, X's zero point, the finisher's run) for each.
  template <class Block>
  void run_blocks(void* const* operands, void* scratch, std::int64_t blocks, Block block) const {
    char* const base = static_cast<char*>(scratch);
    const float* panels = static_cast<const float*>(packed_.get());
    if (!packed_) {
      pack(operands[Op::W], operands[Op::WZero], reinterpret_cast<float*>(base + panels_at_));
      panels = reinterpret_cast<const float*>(base + panels_at_);
    }
    const std::int32_t zero = zero_point(operands[Op::XZero], c_.x_type);
    const SumFinisher::Run run = finisher_.prepare(operands, 0, nullptr, base);
    char* const work = base + align64(finisher_.scratch_bytes());
    base::parallel_for(tasks_, [&](std::int64_t t) {
      char* own = work + static_cast<std::size_t>(t) * work_;
      for (auto [i, last_i] = base::part_of(blocks, tasks_, t); i < last_i; ++i) block(i, own, panels, zero, run);
    });
  }

  Centering centering(const void* zero) const { return {c_.w_type, zero, c_.w_zeros, filter_}; }

  Config c_;
  Product product_;
  SumFinisher finisher_;

 private:
  virtual void pack(const void* weights, const void* zero, float* to) const = 0;

  std::int64_t tasks_ = 1, filter_ = 1;
  std::shared_ptr<const void> packed_;
  std::size_t work_ = 0, scratch_ = 0, panels_at_ = 0;
};

class SimdConvInt8 final : public BlockProducts<ConvInt8Config>, SpatialSizes {
 public:
  SimdConvInt8(const ConvInt8Config& config, PackedConstants& packed)
      : BlockProducts(config, product_of(config), config.out[1]),
        SpatialSizes(config),
        channels_(c_.x[1] / c_.group),
        taps_(window_[0] * window_[1] * window_[2]),
        group_floats_(packed_floats(product_.depth, product_.columns)),
        out_pixels_(out_[0] * out_[1] * out_[2]) {
    const std::int64_t pixels = c_.x[0] * out_pixels_;
    const double products = static_cast<double>(pixels * c_.out[1]) * static_cast<double>(product_.depth);
    const std::int64_t tasks =
        piece_count((pixels + kRows - 1) / kRows,
                    products * 0.015 * kRows / static_cast<double>(std::max<std::int64_t>(1, pixels)), kTasks);
    lay_out(tasks, group_floats_ * c_.group, element_count(c_.w) / c_.w[0],
            "simd int8 conv " + to_string(c_.w) + std::to_string(c_.group), packed);
  }

  void run(void* const* operands, void* scratch) const override {
    const std::int64_t pixels = c_.x[0] * out_pixels_;
    run_blocks(operands, scratch, (pixels + kRows - 1) / kRows,
               [&](std::int64_t i, char* own, const float* panels, std::int32_t zero, const SumFinisher::Run& run) {
                 const std::int64_t first = i * kRows, rows = std::min(kRows, pixels - first);
                 for (std::int64_t g = 0; g < c_.group; ++g) {
                   for (std::int64_t r = 0; r < rows; ++r)
                     patch(operands[Op::X], zero, first + r, g, product_.left(own) + r * product_.depth);
                   const std::int32_t* sums = product_.multiply(own, rows, panels + g * group_floats_);
                   const std::int64_t channel = g * product_.columns;
                   finisher_.rows(run, sums, product_.columns, rows, channel, product_.columns,
                                  first * c_.out[1] + channel, c_.out[1]);
                 }
               });
  }

 private:
  static Product product_of(const ConvInt8Config& c) {
    const Spatial3 window = spatial3(c.w, 2, 1);
    return {window[0] * window[1] * window[2] * (c.x[1] / c.group), c.out[1] / c.group};
  }

  // [filter][channel][tap] to panels of [tap, channel] x filter, for each group.
  void pack(const void* weights, const void* zero, float* to) const override {
    const std::int64_t width = gemm_table().width, filters = product_.columns;
    std::fill_n(to, group_floats_ * c_.group, 0.0f);
    const Centering centered = centering(zero);
    std::int64_t element = 0;
    for (std::int64_t f = 0; f < c_.w[0]; ++f) {
      const std::int64_t n = f % filters;
      float* column = to + f / filters * group_floats_ + n / width * product_.depth * width + n % width;
      const std::int32_t own_zero = centered.zero_of(element);
      for (std::int64_t c = 0; c < channels_; ++c)
        for (std::int64_t t = 0; t < taps_; ++t, ++element)
          column[(t * channels_ + c) * width] = static_cast<float>(zero_point(weights, c_.w_type, element) - own_zero);
    }
  }

  void patch(const void* x, std::int32_t zero, std::int64_t pixel, std::int64_t group, float* to) const {
    const std::int64_t image = pixel / out_pixels_, at = pixel % out_pixels_;
    const std::int64_t o[3] = {at / out_[2] / out_[1], at / out_[2] % out_[1], at % out_[2]};
    std::int64_t tap[3];
    for (tap[0] = 0; tap[0] < window_[0]; ++tap[0])
      for (tap[1] = 0; tap[1] < window_[1]; ++tap[1])
        for (tap[2] = 0; tap[2] < window_[2]; ++tap[2], to += channels_) {
          std::int64_t from = image;
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) {
            const std::int64_t i = o[d] * strides_[d] + tap[d] * dilations_[d] - pads_[d];
            inside = inside && i >= 0 && i < in_[d];
            from = from * in_[d] + i;
          }
          if (inside)
            without_zero(c_.x_type, x, from * c_.x[1] + group * channels_, channels_, zero, to);
          else
            std::fill_n(to, channels_, 0.0f);
        }
  }

  std::int64_t channels_, taps_;  // of a group
  std::int64_t group_floats_, out_pixels_;
};

class SimdMatMulInt8 final : public BlockProducts<MatMulInt8Config> {
 public:
  SimdMatMulInt8(const MatMulInt8Config& config, PackedConstants& packed)
      : SimdMatMulInt8(config, MatMulShape(sizes_of(config)), packed) {}

  void run(void* const* operands, void* scratch) const override {
    run_blocks(
        operands, scratch, blocks_ * s_.batches,
        [&](std::int64_t i, char* own, const float* panels, std::int32_t zero, const SumFinisher::Run& run) {
          const std::int64_t batch = i / blocks_, first = i % blocks_ * kRows, rows = std::min(kRows, s_.m - first);
          for (std::int64_t r = 0; r < rows; ++r)
            without_zero(c_.x_type, operands[Op::X], s_.a_at[batch] + (first + r) * s_.a_row, s_.k, zero,
                         product_.left(own) + r * s_.k);
          const std::int32_t* sums = product_.multiply(own, rows, panels + s_.b_at[batch] / (s_.k * s_.n) * each_);
          finisher_.rows(run, sums, s_.n, rows, 0, s_.n, (batch * s_.m + first) * s_.n, s_.n);
        });
  }

 private:
  SimdMatMulInt8(const MatMulInt8Config& config, const MatMulShape& sizes, PackedConstants& packed)
      : BlockProducts(config, {sizes.k, sizes.n}, sizes.n),
        s_(sizes),
        each_(packed_floats(s_.k, s_.n)),
        matrices_(s_.b_at.last() / (s_.k * s_.n) + 1),
        blocks_((s_.m + kRows - 1) / kRows) {
    const double products = static_cast<double>(s_.m * s_.n) * static_cast<double>(s_.k);
    const std::int64_t tasks =
        piece_count(blocks_ * s_.batches, products * 0.015 / static_cast<double>(blocks_), kTasks);
    lay_out(tasks, each_ * matrices_, 1, "simd int8 matmul " + to_string(c_.w), packed);
  }

  void pack(const void* weights, const void* zero, float* to) const override {
    const std::int64_t width = gemm_table().width;
    std::fill_n(to, each_ * matrices_, 0.0f);
    const Centering centered = centering(zero);
    for (std::int64_t i = 0; i < matrices_; ++i)
      for (std::int64_t k = 0; k < s_.k; ++k)
        for (std::int64_t n = 0; n < s_.n; ++n)
          to[i * each_ + n / width * s_.k * width + k * width + n % width] =
              static_cast<float>(zero_point(weights, c_.w_type, (i * s_.k + k) * s_.n + n) - centered.zero_of(n));
  }

  MatMulShape s_;
  std::int64_t each_, matrices_, blocks_;
};

}  // namespace
}  // namespace int8_simd_products_cc

std::unique_ptr<Kernel> make_simd_conv_int8(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<SimdConvInt8>(config, packed);
}
std::unique_ptr<Kernel> make_simd_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed) {
  return std::make_unique<SimdMatMulInt8>(config, packed);
}

}  // namespace norn::kernels
