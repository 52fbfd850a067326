// Decoders of image files: libraries for the formats that have one, and BMP and PNM, which are small.
//
// Every size comes from a file that may lie. A decoder reads the header, makes its Picture, which checks the size, and
// decodes then; what its library needs beside that follows from the same size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace norn::ops::image {

using Bytes = std::span<const std::uint8_t>;

// Thrown where a file cannot be decoded: it is truncated, broken, or of a kind that no decoder knows.
struct Undecodable {};

// Pixels from the top left, row by row, in 8 bits: gray (one channel) or red, green, blue (three).
class Picture {
 public:
  // Images of more pixels are refused.
  static constexpr std::int64_t kMaxPixels = std::int64_t{1} << 28;

  Picture() = default;
  // Pixels are uninitialised. Throws Undecodable if a size is not positive, norn::Error (LimitExceeded) if they are
  // beyond kMaxPixels.
  Picture(std::int64_t width, std::int64_t height, int channels);

  std::int64_t width() const noexcept { return width_; }
  std::int64_t height() const noexcept { return height_; }
  int channels() const noexcept { return channels_; }
  std::size_t row_bytes() const noexcept { return static_cast<std::size_t>(width_ * channels_); }
  std::uint8_t* row(std::int64_t y) noexcept { return data_.get() + static_cast<std::size_t>(y) * row_bytes(); }
  const std::uint8_t* row(std::int64_t y) const noexcept {
    return data_.get() + static_cast<std::size_t>(y) * row_bytes();
  }

 private:
  std::int64_t width_ = 0, height_ = 0;
  int channels_ = 0;
  std::unique_ptr<std::uint8_t[]> data_;
};

// `value` of [0, most] in 8 bits, rounded; what lies above counts as `most`.
inline std::uint8_t to_8_bits(std::uint64_t value, std::uint64_t most) {
  return static_cast<std::uint8_t>(value >= most ? 255 : (value * 255 + most / 2) / most);
}

// Each takes a file that begins as one of its format does.
Picture decode_bmp(Bytes file);
Picture decode_jpeg(Bytes file);
Picture decode_jpeg2000(Bytes file);
Picture decode_png(Bytes file);
Picture decode_pnm(Bytes file);
Picture decode_tiff(Bytes file);
Picture decode_webp(Bytes file);

}  // namespace norn::ops::image
