#include "kernels/cpu/quantize.h"

#include <type_traits>

#include "base/division.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace quantize_cc {
namespace {

constexpr double kElementNs = 0.2;
constexpr std::int64_t kPiece = 2048;   // elements of a run that are done together where they are converted
constexpr std::int64_t kShortRun = 48;  // elements of a scale for which scales are spread first
constexpr std::int64_t kLongPiece = 16 * kPiece;

template <bool back>
class Quantize final : public Kernel {
 public:
  explicit Quantize(const QuantizeConfig& c)
      : c_(c), piece_(is_half(c.real) ? kPiece : kLongPiece), pieces_((c.inner + piece_ - 1) / piece_) {
    if (c.real == DataType::Float) return;
    const bool ieee = c.real == DataType::Float16;
    widen_ = ieee ? half_table().float16_to_float : half_table().bfloat16_to_float;
    narrow_ = ieee ? half_table().float_to_float16 : half_table().float_to_bfloat16;
  }

  void run(void* const* operands, void*) const override {
    const std::int64_t runs = c_.outer * c_.n * pieces_;
    const double run_ns = 5 + kElementNs * static_cast<double>(std::min(c_.inner, piece_));
    parallel_ranges(runs, run_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [row, in_row] = base::divide(i, pieces_);
        const std::int64_t k = base::divide(row, c_.n).rest, first = in_row * piece_;
        piece(operands, scale_of(operands[1], k), k, row * c_.inner + first, std::min(piece_, c_.inner - first));
      }
    });
  }

 private:
  float scale_of(const void* scales, std::int64_t k) const {
    if (!widen_) return static_cast<const float*>(scales)[k];
    float scale;
    widen_(static_cast<const std::uint16_t*>(scales) + k, &scale, 1);
    return scale;
  }
  void piece(void* const* operands, float scale, std::int64_t k, std::int64_t at, std::int64_t n) const {
    if (c_.integer == DataType::Uint8)
      return piece_of<std::uint8_t>(quantize_table().to_uint8, quantize_table().from_uint8, operands, scale, k, at, n);
    piece_of<std::int8_t>(quantize_table().to_int8, quantize_table().from_int8, operands, scale, k, at, n);
  }
  template <class T, class To, class From>
  void piece_of(To to, From from, void* const* operands, float scale, std::int64_t k, std::int64_t at,
                std::int64_t n) const {
    const int zero = operands[2] == nullptr ? 0 : static_cast<const T*>(operands[2])[k];
    if (widen_) return halves<T>(to, from, operands, scale, zero, at, n);
    if constexpr (back)
      from(static_cast<const T*>(operands[0]) + at, scale, zero, static_cast<float*>(operands[3]) + at, n);
    else
      to(static_cast<const float*>(operands[0]) + at, scale, zero, static_cast<T*>(operands[3]) + at, n);
  }

  // A quotient of half types rounded to f32 first is rounded to them as if once, and a product with one is exact.
  template <class T, class To, class From>
  void halves(To to, From from, void* const* operands, float scale, int zero, std::int64_t at, std::int64_t n) const {
    float wide[kPiece];
    std::uint16_t half[kPiece];
    if constexpr (back) {
      from(static_cast<const T*>(operands[0]) + at, scale, zero, wide, n);
      narrow_(wide, static_cast<std::uint16_t*>(operands[3]) + at, n);
    } else {
      widen_(static_cast<const std::uint16_t*>(operands[0]) + at, wide, n);
      for (std::int64_t i = 0; i < n; ++i) wide[i] /= scale;
      narrow_(wide, half, n);
      widen_(half, wide, n);
      to(wide, 1.0f, zero, static_cast<T*>(operands[3]) + at, n);
    }
  }

  QuantizeConfig c_;
  std::int64_t piece_, pieces_;
  void (*widen_)(const std::uint16_t*, float*, std::int64_t) = nullptr;
  void (*narrow_)(const float*, std::uint16_t*, std::int64_t) = nullptr;
};

// A tile of each plane is quantized, and their bytes are put side by side while they lie in the first cache.
class PixelQuantize final : public Kernel {
 public:
  static constexpr std::int64_t kTile = 512, kChannels = 16;

  explicit PixelQuantize(const PixelQuantizeConfig& c) : c_(c), tiles_((c.pixels + kTile - 1) / kTile) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    const float scale = *static_cast<const float*>(operands[1]);
    const bool is_signed = c_.integer == DataType::Int8;
    int zero = 0;
    if (operands[2] != nullptr)
      zero = is_signed ? int{*static_cast<const std::int8_t*>(operands[2])}
                       : int{*static_cast<const std::uint8_t*>(operands[2])};
    auto* y = static_cast<std::uint8_t*>(operands[3]);
    const double tile_ns = kElementNs * static_cast<double>(c_.channels * std::min(kTile, c_.pixels));
    parallel_ranges(c_.images * tiles_, tile_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) std::uint8_t bytes[kChannels * kTile];
      const std::uint8_t* planes[kChannels];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t image = i / tiles_, first = i % tiles_ * kTile, n = std::min(kTile, c_.pixels - first);
        for (std::int64_t c = 0; c < c_.channels; ++c) {
          const float* from = x + (image * c_.channels + c) * c_.pixels + first;
          std::uint8_t* to = bytes + c * kTile;
          planes[c] = to;
          if (is_signed)
            quantize_table().to_int8(from, scale, zero, reinterpret_cast<std::int8_t*>(to), n);
          else
            quantize_table().to_uint8(from, scale, zero, to, n);
        }
        std::uint8_t* out = y + (image * c_.pixels + first) * c_.channels;
        if (c_.channels == 3) {
          quantize_table().interleave3(planes, out, n);
          continue;
        }
        for (std::int64_t p = 0; p < n; ++p)
          for (std::int64_t c = 0; c < c_.channels; ++c) *out++ = planes[c][p];
      }
    });
  }

 private:
  PixelQuantizeConfig c_;
  std::int64_t tiles_;
};

std::string pixels_refuse(const PixelQuantizeConfig& c) {
  if (c.integer != DataType::Uint8 && c.integer != DataType::Int8)
    return "takes uint8 and int8, not " + std::string(data_type_name(c.integer));
  if (c.channels > PixelQuantize::kChannels) return "many channels";
  const Shape dims = {c.images, c.channels, c.pixels};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_pixels(const PixelQuantizeConfig& c, PackedConstants&) {
  return std::make_unique<PixelQuantize>(c);
}

std::string refuses(const QuantizeConfig& c) {
  if (c.integer != DataType::Uint8 && c.integer != DataType::Int8)
    return "takes uint8 and int8, not " + std::string(data_type_name(c.integer));
  if (c.real != DataType::Float && c.real != DataType::Float16 && c.real != DataType::BFloat16)
    return "divides and multiplies no " + std::string(data_type_name(c.real));
  const Shape dims = {c.outer, c.n, c.inner};
  if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
  return c.inner < kShortRun && c.n > 1 ? "scales change every few elements" : "";
}
std::unique_ptr<Kernel> make(const QuantizeConfig& c, PackedConstants&) { return std::make_unique<Quantize<false>>(c); }
std::unique_ptr<Kernel> make_back(const QuantizeConfig& c, PackedConstants&) {
  return std::make_unique<Quantize<true>>(c);
}

constexpr Candidate<QuantizeConfig> kQuantize[] = {{"simd", refuses, make}};
constexpr Candidate<QuantizeConfig> kDequantize[] = {{"simd", refuses, make_back}};
constexpr Candidate<PixelQuantizeConfig> kPixels[] = {{"simd", pixels_refuse, make_pixels}};

}  // namespace
}  // namespace quantize_cc

std::span<const Candidate<QuantizeConfig>> quantize_candidates() { return kQuantize; }
std::span<const Candidate<QuantizeConfig>> dequantize_candidates() { return kDequantize; }
std::span<const Candidate<PixelQuantizeConfig>> pixel_quantize_candidates() { return kPixels; }

}  // namespace norn::kernels
