// ImageDecoder: the file's first bytes determine the format. Of an image with alpha the colours are taken as they are
// stored; of several images the first; colour profiles and the orientation that EXIF gives are not applied.
#include "ops/image/image_decoder/image_decoder_ref.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "norn/error.h"
#include "ops/image/image_decoder/image_decoder.h"
#include "opset/reference.h"

namespace norn::ops {

namespace image {

Picture::Picture(std::int64_t width, std::int64_t height, int channels)
    : width_(width), height_(height), channels_(channels) {
  if (width <= 0 || height <= 0) throw Undecodable{};
  if (height > kMaxPixels / width)
    throw Error(ErrorCode::LimitExceeded,
                "the image is " + std::to_string(width) + " x " + std::to_string(height) +
                    " pixels by its header; those of more than " + std::to_string(kMaxPixels) + " are not decoded",
                {}, "scale it down, or cut it into tiles");
  data_ = std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(width * height * channels));
}

}  // namespace image

inline namespace image_decoder_ref_cc {
namespace {

using image::Bytes;
using image::Picture;

Picture decode(Bytes file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto begins = [&](std::string_view with) { return text.starts_with(with); };
  using namespace std::string_view_literals;
  if (begins("\xff\xd8\xff")) return image::decode_jpeg(file);
  if (begins("\x89PNG\r\n\x1a\n")) return image::decode_png(file);
  if (begins("BM")) return image::decode_bmp(file);
  if (begins("RIFF") && text.size() > 12 && text.substr(8, 4) == "WEBP") return image::decode_webp(file);
  if (begins("II*\0"sv) || begins("MM\0*"sv) || begins("II+\0"sv) || begins("MM\0+"sv)) return image::decode_tiff(file);
  if (begins("\0\0\0\x0cjP  \r\n\x87\n"sv) || begins("\xff\x4f\xff\x51")) return image::decode_jpeg2000(file);
  if (text.size() > 2 && text[0] == 'P' && text[1] >= '1' && text[1] <= '6') return image::decode_pnm(file);
  throw image::Undecodable{};
}

// The luma of ITU-R BT.601, in 16 bits behind the point.
std::uint8_t gray_of(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((rgb[0] * 19595U + rgb[1] * 38470U + rgb[2] * 7471U + 0x8000U) >> 16);
}

void image_decoder_ref(opset::ReferenceContext& ctx) {
  const Tensor& stream = ctx.input(0);
  if (stream.rank() != 1) ctx.fail("the encoded stream has " + std::to_string(stream.rank()) + " dimensions, not 1");
  const PixelFormat format = resolve_image_decoder(ctx);
  const std::int64_t channels = channels_of(format);
  Picture picture;
  try {
    picture = decode({stream.as<std::uint8_t>(), static_cast<std::size_t>(stream.size())});
  } catch (const image::Undecodable&) {
    ctx.output(0, DataType::Uint8, {0, 0, channels});  // what the operator's text asks for
    return;
  }
  auto* out = ctx.output(0, DataType::Uint8, {picture.height(), picture.width(), channels}).as_mutable<std::uint8_t>();
  for (std::int64_t y = 0; y < picture.height(); ++y) {
    const std::uint8_t* in = picture.row(y);
    for (std::int64_t x = 0; x < picture.width(); ++x, in += picture.channels(), out += channels) {
      if (format == PixelFormat::Grayscale) {
        *out = picture.channels() == 1 ? *in : gray_of(in);
      } else if (picture.channels() == 1) {
        std::fill_n(out, 3, *in);
      } else if (format == PixelFormat::Rgb) {
        std::copy_n(in, 3, out);
      } else {
        std::reverse_copy(in, in + 3, out);
      }
    }
  }
}

}  // namespace
}  // namespace image_decoder_ref_cc

void image_decoder_references(opset::ReferenceTable& table) { table.add(ImageDecoder, image_decoder_ref); }

}  // namespace norn::ops
