// BMP: rows from the bottom up unless the height is negative, palettes of 1, 2, 4 and 8 bits, colours of 16, 24 and 32
// bits with masks, runs of 4 and 8 bits. Versions differ in the length of their header.
#include <bit>
#include <cstring>
#include <vector>

#include "ops/image/image_decoder/image_decoder_ref.h"

namespace norn::ops::image {
inline namespace image_decoder_bmp_ref_cc {
namespace {

enum Compression : std::uint32_t { kRgb = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kAlphaBitFields = 6 };

class BmpDecoder {
 public:
  explicit BmpDecoder(Bytes file) : file_(file) {}

  Picture run() {
    read_header();
    picture_ = Picture(width_, height_, 3);
    if (compression_ == kRle8 || compression_ == kRle4) {
      read_runs();
    } else {
      read_rows();
    }
    return std::move(picture_);
  }

 private:
  std::uint64_t number(std::uint64_t at, int bytes) const {
    if (at > file_.size() || file_.size() - at < static_cast<std::uint64_t>(bytes)) throw Undecodable{};
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{file_[at + static_cast<std::size_t>(i)]} << 8 * i;
    return value;
  }
  std::uint32_t u32(std::uint64_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }

  void read_header() {
    constexpr std::uint64_t kInfo = 14;
    pixels_ = u32(10);
    const std::uint64_t length = u32(kInfo);
    const bool core = length == 12;  // of OS/2
    if (!core && (length < 16 || length > 1024)) throw Undecodable{};
    width_ = core ? static_cast<std::int64_t>(number(kInfo + 4, 2)) : static_cast<std::int32_t>(u32(kInfo + 4));
    height_ = core ? static_cast<std::int64_t>(number(kInfo + 6, 2)) : static_cast<std::int32_t>(u32(kInfo + 8));
    bits_ = static_cast<int>(number(kInfo + (core ? 10 : 14), 2));
    compression_ = length >= 20 ? u32(kInfo + 16) : kRgb;
    std::uint64_t colours = length >= 36 ? u32(kInfo + 32) : 0;
    top_down_ = height_ < 0;
    if (top_down_) height_ = -height_;
    const bool with_masks = compression_ == kBitFields || compression_ == kAlphaBitFields;
    switch (bits_) {
      case 1:
      case 2:
      case 24:
        if (compression_ != kRgb) throw Undecodable{};
        break;
      case 4:
      case 8:
        if (compression_ != kRgb && compression_ != (bits_ == 4 ? kRle4 : kRle8)) throw Undecodable{};
        break;
      case 16:
      case 32:
        if (compression_ != kRgb && !with_masks) throw Undecodable{};
        break;
      default: throw Undecodable{};
    }
    if (top_down_ && !with_masks && compression_ != kRgb) throw Undecodable{};
    std::uint64_t palette = kInfo + length;
    if (with_masks) {  // in the header from version 2 on, behind it before
      for (std::size_t i = 0; i < 3; ++i) masks_[i] = u32(kInfo + 40 + 4 * i);
      if (length == 40) palette += compression_ == kBitFields ? 12 : 16;
    } else if (bits_ == 16) {
      masks_[0] = 0x7c00, masks_[1] = 0x03e0, masks_[2] = 0x001f;
    }
    if (bits_ > 8) return;
    const std::uint64_t most = std::uint64_t{1} << bits_;
    if (colours == 0 || colours > most) colours = most;
    palette_.resize(most);  // colours that the file has not are black
    const std::uint64_t entry = core ? 3 : 4;
    for (std::uint64_t i = 0; i < colours && palette + (i + 1) * entry <= file_.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) palette_[i].rgb[c] = file_[palette + i * entry + 2 - c];
    }
  }

  std::uint8_t* row(std::int64_t line) { return picture_.row(top_down_ ? line : height_ - 1 - line); }

  void put(std::uint8_t* row, std::int64_t x, std::size_t colour) const {
    std::memcpy(row + 3 * x, palette_[colour].rgb, 3);
  }

  std::uint8_t masked(std::uint32_t pixel, std::uint32_t mask) const {
    if (mask == 0) return 0;
    const int shift = std::countr_zero(mask);
    return to_8_bits((pixel & mask) >> shift, mask >> shift);
  }

  void read_rows() {
    const auto line_bits = static_cast<std::uint64_t>(width_) * static_cast<std::uint64_t>(bits_);
    const std::uint64_t stride = (line_bits + 31) / 32 * 4;
    const std::uint64_t needed = static_cast<std::uint64_t>(height_ - 1) * stride + (line_bits + 7) / 8;
    if (pixels_ > file_.size() || file_.size() - pixels_ < needed) throw Undecodable{};
    for (std::int64_t line = 0; line < height_; ++line) {
      const std::uint8_t* in = file_.data() + pixels_ + static_cast<std::uint64_t>(line) * stride;
      std::uint8_t* out = row(line);
      for (std::int64_t x = 0; x < width_; ++x) {
        if (bits_ <= 8) {
          const std::int64_t bit = x * bits_;
          put(out, x, in[bit / 8] >> (8 - bits_ - bit % 8) & ((1 << bits_) - 1));
        } else if (bits_ == 24 || (bits_ == 32 && compression_ == kRgb)) {
          const std::uint8_t* bgr = in + x * bits_ / 8;
          for (int c = 0; c < 3; ++c) out[3 * x + c] = bgr[2 - c];
        } else {
          std::uint32_t pixel = 0;
          for (int i = 0; i < bits_ / 8; ++i) pixel |= std::uint32_t{in[x * bits_ / 8 + i]} << 8 * i;
          for (int c = 0; c < 3; ++c) out[3 * x + c] = masked(pixel, masks_[c]);
        }
      }
    }
  }

  std::uint8_t next() {
    if (pixels_ >= file_.size()) throw Undecodable{};
    return file_[pixels_++];
  }

  // Pairs of a count and a value; a count of 0 is an escape: the end of a line, of the image, a move, or as many
  // literal pixels as the value says. Pixels that nothing writes have colour 0.
  void read_runs() {
    for (std::int64_t y = 0; y < height_; ++y) {
      for (std::int64_t x = 0; x < width_; ++x) put(picture_.row(y), x, 0);
    }
    const bool nibbles = compression_ == kRle4;
    std::int64_t x = 0, line = 0;
    const auto write = [&](std::size_t colour) {
      if (x < width_) put(row(line), x++, colour);
    };
    while (line < height_) {
      const std::uint8_t count = next(), value = next();
      if (count > 0) {
        for (int i = 0; i < count; ++i) write(!nibbles ? value : i % 2 ? value & 15 : value >> 4);
      } else if (value == 0) {
        x = 0;
        ++line;
      } else if (value == 1) {
        return;
      } else if (value == 2) {
        x += next();
        line += next();
      } else {
        std::uint8_t pair = 0;
        for (int i = 0; i < value; ++i) {
          if (!nibbles || i % 2 == 0) pair = next();
          write(!nibbles ? pair : i % 2 ? pair & 15 : pair >> 4);
        }
        if ((nibbles ? (value + 1) / 2 : value) % 2) next();  // literals fill words of 16 bits
      }
    }
  }

  struct Colour {
    std::uint8_t rgb[3] = {};
  };
  Bytes file_;
  std::uint64_t pixels_ = 0;  // where they begin; in runs, the next byte
  std::int64_t width_ = 0, height_ = 0;
  int bits_ = 0;
  std::uint32_t compression_ = kRgb, masks_[3] = {0xff0000, 0xff00, 0xff};
  bool top_down_ = false;
  std::vector<Colour> palette_;
  Picture picture_;
};

}  // namespace
}  // namespace image_decoder_bmp_ref_cc

Picture decode_bmp(Bytes file) { return BmpDecoder(file).run(); }

}  // namespace norn::ops::image
