// JPEG by libjpeg-turbo, with its defaults: the exact integer transform and "fancy" upsampling of the chroma, which is
// what the operator's text describes. libjpeg leaves a function by longjmp where a file is broken, so that functions
// between setjmp and it have no objects to destroy.
#include <csetjmp>
#include <cstdio>

// It needs FILE.
#include <jpeglib.h>

// It asks jpeglib.h what there is.
#include <jerror.h>

#include <utility>
#include <vector>

#include "ops/image/image_decoder/image_decoder_ref.h"

namespace norn::ops::image {
inline namespace image_decoder_jpeg_ref_cc {
namespace {

// A progressive file may send an image over and over again.
constexpr int kMaxScans = 1000;

struct JpegDecoder {
  jpeg_error_mgr errors{};
  std::jmp_buf leave;
  jpeg_progress_mgr progress{};
  jpeg_decompress_struct info{};
  Picture picture;
  std::vector<JSAMPLE> line;

  JpegDecoder() {
    info.err = jpeg_std_error(&errors);
    errors.error_exit = [](j_common_ptr common) { give_up(common); };
    errors.emit_message = on_message;
    errors.output_message = [](j_common_ptr) {};
    progress.progress_monitor = [](j_common_ptr common) {
      if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMaxScans) give_up(common);
    };
    info.client_data = this;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  [[noreturn]] static void give_up(j_common_ptr common) {
    std::longjmp(static_cast<JpegDecoder*>(common->client_data)->leave, 1);
  }

  // Warnings about lost pixels end the decoding, as errors do.
  static void on_message(j_common_ptr common, int level) {
    if (level >= 0) return;
    switch (common->err->msg_code) {
      case JWRN_ARITH_BAD_CODE:
      case JWRN_BOGUS_PROGRESSION:
      case JWRN_HIT_MARKER:
      case JWRN_HUFF_BAD_CODE:
      case JWRN_JPEG_EOF:
      case JWRN_MUST_RESYNC: give_up(common);
      default: break;
    }
  }

  bool begin(Bytes file) {
    if (setjmp(leave)) return false;
    jpeg_create_decompress(&info);
    info.progress = &progress;
    jpeg_mem_src(&info, file.data(), static_cast<unsigned long>(file.size()));
    jpeg_read_header(&info, TRUE);
    switch (info.jpeg_color_space) {
      case JCS_GRAYSCALE: info.out_color_space = JCS_GRAYSCALE; break;
      case JCS_YCbCr:
      case JCS_RGB: info.out_color_space = JCS_RGB; break;
      case JCS_CMYK:
      case JCS_YCCK: info.out_color_space = JCS_CMYK; break;
      default: return false;
    }
    return true;
  }

  bool read() {
    if (setjmp(leave)) return false;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      std::uint8_t* out = picture.row(info.output_scanline);
      JSAMPROW in = info.out_color_space == JCS_CMYK ? line.data() : out;
      jpeg_read_scanlines(&info, &in, 1);
      if (in == out) continue;
      for (JDIMENSION x = 0; x < info.output_width; ++x) {  // by Adobe's convention, which keeps what ink leaves
        for (int c = 0; c < 3; ++c) out[3 * x + c] = to_8_bits(std::uint64_t{in[4 * x + c]} * in[4 * x + 3], 255 * 255);
      }
    }
    return true;
  }
};

}  // namespace
}  // namespace image_decoder_jpeg_ref_cc

Picture decode_jpeg(Bytes file) {
  JpegDecoder decoder;
  if (!decoder.begin(file)) throw Undecodable{};
  decoder.picture = Picture(decoder.info.image_width, decoder.info.image_height,
                            decoder.info.out_color_space == JCS_GRAYSCALE ? 1 : 3);
  if (decoder.info.out_color_space == JCS_CMYK) decoder.line.resize(std::size_t{4} * decoder.info.image_width);
  if (!decoder.read()) throw Undecodable{};
  return std::move(decoder.picture);
}

}  // namespace norn::ops::image
