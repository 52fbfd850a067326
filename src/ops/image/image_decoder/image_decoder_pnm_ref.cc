// Portable bit-, gray- and pixmaps, as text (P1 to P3) and in binary (P4 to P6). Numbers of the header are separated by
// white space and comments; one byte of white space ends the header of a binary file. A bit of 1 is black.
#include "ops/image/image_decoder/image_decoder_ref.h"

namespace norn::ops::image {
inline namespace image_decoder_pnm_ref_cc {
namespace {

class PnmDecoder {
 public:
  explicit PnmDecoder(Bytes file) : file_(file), at_(2), kind_((file[1] - '1') % 3), text_(file[1] < '4') {}

  Picture run() {
    const auto width = static_cast<std::int64_t>(number()), height = static_cast<std::int64_t>(number());
    most_ = kind_ == kBits ? 1 : number();
    if (most_ == 0 || most_ > 0xffff) throw Undecodable{};
    if (!text_ && !is_space(next())) throw Undecodable{};
    // What the samples take at least, before memory is taken for them. The number of samples does not overflow: numbers
    // are below 2^31.
    const int channels = kind_ == kPixels ? 3 : 1;
    if (width == 0 || height == 0) throw Undecodable{};
    const auto w = static_cast<std::uint64_t>(width), h = static_cast<std::uint64_t>(height);
    const std::uint64_t per_row = kind_ != kBits ? w * static_cast<unsigned>(channels) * (text_ || most_ > 255 ? 2 : 1)
                                  : text_        ? w
                                                 : (w + 7) / 8;
    if ((file_.size() - at_ + 1) / per_row < h) throw Undecodable{};
    Picture picture(width, height, channels);
    for (std::int64_t y = 0; y < height; ++y) {
      std::uint8_t* row = picture.row(y);
      if (kind_ == kBits) {
        read_bits(row, width);
      } else {
        for (std::size_t i = 0; i < picture.row_bytes(); ++i) row[i] = to_8_bits(sample(), most_);
      }
    }
    return picture;
  }

 private:
  enum Kind { kBits, kGrays, kPixels };

  static bool is_space(std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  std::uint8_t next() {
    if (at_ >= file_.size()) throw Undecodable{};
    return file_[at_++];
  }

  // The next byte that is neither white space nor in a comment.
  std::uint8_t next_visible() {
    for (;;) {
      std::uint8_t c = next();
      while (c == '#') {
        while (c != '\n' && c != '\r') c = next();
      }
      if (!is_space(c)) return c;
    }
  }

  // A decimal number below 2^31. What follows it is white space or the end.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (std::uint8_t c = next_visible();; c = next()) {
      if (c < '0' || c > '9') throw Undecodable{};
      value = 10 * value + (c - '0');
      if (value >> 31) throw Undecodable{};
      if (at_ == file_.size() || is_space(file_[at_]) || file_[at_] == '#') return value;
    }
  }

  std::uint64_t sample() {
    if (!text_) {
      const std::uint8_t first = next();
      return most_ > 255 ? std::uint64_t{first} << 8 | next() : first;
    }
    const std::uint64_t value = number();
    if (value > most_) throw Undecodable{};
    return value;
  }

  void read_bits(std::uint8_t* row, std::int64_t width) {
    std::uint8_t byte = 0;
    for (std::int64_t x = 0; x < width; ++x) {
      if (text_) {
        const std::uint8_t c = next_visible();
        if (c != '0' && c != '1') throw Undecodable{};
        row[x] = c == '0' ? 255 : 0;
      } else {
        if (x % 8 == 0) byte = next();
        row[x] = byte >> (7 - x % 8) & 1 ? 0 : 255;
      }
    }
  }

  Bytes file_;
  std::size_t at_;
  int kind_;
  bool text_;
  std::uint64_t most_ = 1;
};

}  // namespace
}  // namespace image_decoder_pnm_ref_cc

Picture decode_pnm(Bytes file) { return PnmDecoder(file).run(); }

}  // namespace norn::ops::image
