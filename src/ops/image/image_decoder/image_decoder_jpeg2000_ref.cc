// JPEG 2000 by OpenJPEG: files (.jp2) and bare codestreams (.j2k). Components may have sizes, signs and depths of their
// own; chroma that is stored in a smaller size is repeated.
#include <openjpeg.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "ops/image/image_decoder/image_decoder_ref.h"

namespace norn::ops::image {
inline namespace image_decoder_jpeg2000_ref_cc {
namespace {

struct MemoryStream {
  Bytes bytes;
  std::size_t at = 0;
};

OPJ_SIZE_T read_bytes(void* to, OPJ_SIZE_T count, void* user) {
  auto* stream = static_cast<MemoryStream*>(user);
  const std::size_t n = std::min(count, stream->bytes.size() - stream->at);
  if (n == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, stream->bytes.data() + stream->at, n);
  stream->at += n;
  return n;
}

OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void* user) {
  auto* stream = static_cast<MemoryStream*>(user);
  if (count < 0 || static_cast<std::uint64_t>(count) > stream->bytes.size() - stream->at) return -1;
  stream->at += static_cast<std::size_t>(count);
  return count;
}

OPJ_BOOL seek(OPJ_OFF_T to, void* user) {
  auto* stream = static_cast<MemoryStream*>(user);
  if (to < 0 || static_cast<std::uint64_t>(to) > stream->bytes.size()) return OPJ_FALSE;
  stream->at = static_cast<std::size_t>(to);
  return OPJ_TRUE;
}

// One component's samples on the image's grid, in 8 bits.
struct Channel {
  const opj_image_comp_t& component;
  std::uint8_t at(std::int64_t x, std::int64_t y) const {
    const std::int64_t column = std::clamp<std::int64_t>(x / component.dx - component.x0, 0, component.w - 1);
    const std::int64_t row = std::clamp<std::int64_t>(y / component.dy - component.y0, 0, component.h - 1);
    const std::int64_t half = component.sgnd ? std::int64_t{1} << (component.prec - 1) : 0;
    const std::int64_t sample = component.data[row * component.w + column] + half;
    return to_8_bits(static_cast<std::uint64_t>(std::max<std::int64_t>(sample, 0)),
                     (std::uint64_t{1} << component.prec) - 1);
  }
};

std::uint8_t clipped(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

Picture to_picture(const opj_image_t& image, Picture picture) {
  const bool ycc = image.color_space == OPJ_CLRSPC_SYCC || image.color_space == OPJ_CLRSPC_EYCC ||
                   (image.color_space != OPJ_CLRSPC_SRGB && image.numcomps >= 3 &&
                    image.comps[1].dx > image.comps[0].dx);  // no other colours are stored in two sizes
  const bool cmyk = image.color_space == OPJ_CLRSPC_CMYK && image.numcomps >= 4;
  for (std::int64_t row = 0; row < picture.height(); ++row) {
    std::uint8_t* out = picture.row(row);
    for (std::int64_t column = 0; column < picture.width(); ++column, out += picture.channels()) {
      const std::int64_t x = image.x0 + column, y = image.y0 + row;
      for (int c = 0; c < picture.channels(); ++c) out[c] = Channel{image.comps[c]}.at(x, y);
      if (cmyk) {
        const unsigned light = 255U - Channel{image.comps[3]}.at(x, y);
        for (int c = 0; c < 3; ++c) out[c] = to_8_bits(std::uint64_t{255U - out[c]} * light, 255 * 255);
      } else if (ycc && picture.channels() == 3) {
        const double luma = out[0], blue = out[1] - 128.0, red = out[2] - 128.0;
        out[0] = clipped(luma + 1.402 * red);
        out[1] = clipped(luma - 0.344136 * blue - 0.714136 * red);
        out[2] = clipped(luma + 1.772 * blue);
      }
    }
  }
  return picture;
}

}  // namespace
}  // namespace image_decoder_jpeg2000_ref_cc

Picture decode_jpeg2000(Bytes file) {
  MemoryStream memory{file};
  const std::unique_ptr<opj_stream_t, void (*)(opj_stream_t*)> stream(
      reinterpret_cast<opj_stream_t*>(opj_stream_default_create(OPJ_TRUE)),
      [](opj_stream_t* s) { opj_stream_destroy(s); });
  const std::unique_ptr<opj_codec_t, void (*)(opj_codec_t*)> codec(
      reinterpret_cast<opj_codec_t*>(opj_create_decompress(file[0] == 0xff ? OPJ_CODEC_J2K : OPJ_CODEC_JP2)),
      [](opj_codec_t* c) { opj_destroy_codec(c); });
  if (!stream || !codec) throw Undecodable{};
  opj_stream_set_user_data(stream.get(), &memory, nullptr);
  opj_stream_set_user_data_length(stream.get(), file.size());
  opj_stream_set_read_function(stream.get(), read_bytes);
  opj_stream_set_skip_function(stream.get(), skip_bytes);
  opj_stream_set_seek_function(stream.get(), seek);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* read = nullptr;
  if (!opj_setup_decoder(codec.get(), &parameters) || !opj_decoder_set_strict_mode(codec.get(), OPJ_TRUE) ||
      !opj_read_header(stream.get(), codec.get(), &read))
    throw Undecodable{};
  const std::unique_ptr<opj_image_t, void (*)(opj_image_t*)> image(read, opj_image_destroy);
  if (image->numcomps == 0) throw Undecodable{};
  Picture picture(std::int64_t{image->x1} - image->x0, std::int64_t{image->y1} - image->y0,
                  image->numcomps < 3 ? 1 : 3);
  // Alpha and other components behind the colours are decoded, too.
  std::uint64_t samples = 0;
  for (OPJ_UINT32 c = 0; c < image->numcomps; ++c) samples += std::uint64_t{image->comps[c].w} * image->comps[c].h;
  if (samples > 5 * static_cast<std::uint64_t>(Picture::kMaxPixels)) throw Undecodable{};
  if (!opj_decode(codec.get(), stream.get(), image.get()) || !opj_end_decompress(codec.get(), stream.get()))
    throw Undecodable{};
  // A palette, which is applied now, makes more components of one.
  if (image->numcomps >= 3 && picture.channels() == 1) picture = Picture(picture.width(), picture.height(), 3);
  for (OPJ_UINT32 c = 0; c < std::min<OPJ_UINT32>(image->numcomps, 4); ++c) {
    const opj_image_comp_t& component = image->comps[c];
    if (!component.data || component.w == 0 || component.h == 0 || component.dx == 0 || component.dy == 0 ||
        component.prec == 0 || component.prec > 31)
      throw Undecodable{};
  }
  return to_picture(*image, std::move(picture));
}

}  // namespace norn::ops::image
