// PNG by libpng: palettes, bits and 16-bit samples become 8-bit channels, alpha is dropped, gamma is not applied.
// libpng leaves a function by longjmp where a file is broken, so that functions between setjmp and it have no objects
// to destroy.
#include <png.h>

#include <cstring>
#include <utility>
#include <vector>

#include "ops/image/image_decoder/image_decoder_ref.h"

namespace norn::ops::image {
inline namespace image_decoder_png_ref_cc {
namespace {

struct PngDecoder {
  Bytes file;
  std::size_t at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_bytep> rows;
  Picture picture;

  explicit PngDecoder(Bytes bytes) : file(bytes) {
    png = png_create_read_struct(
        PNG_LIBPNG_VER_STRING, this, [](png_structp p, png_const_charp) { png_longjmp(p, 1); },
        [](png_structp, png_const_charp) {});
    if (png) info = png_create_info_struct(png);
  }
  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  static void read_bytes(png_structp p, png_bytep to, std::size_t count) {
    auto* self = static_cast<PngDecoder*>(png_get_io_ptr(p));
    if (self->file.size() - self->at < count) png_error(p, "the file ends early");
    std::memcpy(to, self->file.data() + self->at, count);
    self->at += count;
  }

  bool begin() {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_read_fn(png, this, read_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // Picture has its own
    png_set_chunk_malloc_max(png, 8 << 20);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    return true;
  }

  bool read() {
    if (setjmp(png_jmpbuf(png))) return false;
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != picture.row_bytes()) return false;
    png_read_image(png, rows.data());
    return true;
  }
};

}  // namespace
}  // namespace image_decoder_png_ref_cc

Picture decode_png(Bytes file) {
  PngDecoder decoder(file);
  if (!decoder.info || !decoder.begin()) throw Undecodable{};
  const bool coloured = png_get_color_type(decoder.png, decoder.info) & PNG_COLOR_MASK_COLOR;
  decoder.picture = Picture(png_get_image_width(decoder.png, decoder.info),
                            png_get_image_height(decoder.png, decoder.info), coloured ? 3 : 1);
  for (std::int64_t y = 0; y < decoder.picture.height(); ++y) decoder.rows.push_back(decoder.picture.row(y));
  if (!decoder.read()) throw Undecodable{};
  return std::move(decoder.picture);
}

}  // namespace norn::ops::image
