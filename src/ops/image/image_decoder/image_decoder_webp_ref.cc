// WebP by libwebp. Of an animation the first frame is taken, on its canvas.
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>

#include "ops/image/image_decoder/image_decoder_ref.h"

namespace norn::ops::image {
inline namespace image_decoder_webp_ref_cc {
namespace {

void decode_first_frame(Bytes file, Picture& picture) {
  WebPAnimDecoderOptions options;
  if (!WebPAnimDecoderOptionsInit(&options)) throw Undecodable{};
  options.color_mode = MODE_RGBA;
  const WebPData data{file.data(), file.size()};
  const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(WebPAnimDecoderNew(&data, &options),
                                                                             WebPAnimDecoderDelete);
  WebPAnimInfo info;
  std::uint8_t* rgba = nullptr;
  int time = 0;
  if (!decoder || !WebPAnimDecoderGetInfo(decoder.get(), &info) || info.canvas_width != picture.width() ||
      info.canvas_height != picture.height() || !WebPAnimDecoderGetNext(decoder.get(), &rgba, &time))
    throw Undecodable{};
  for (std::int64_t y = 0; y < picture.height(); ++y) {
    std::uint8_t* out = picture.row(y);
    for (std::int64_t x = 0; x < picture.width(); ++x, rgba += 4) {
      for (int c = 0; c < 3; ++c) *out++ = rgba[c];
    }
  }
}

}  // namespace
}  // namespace image_decoder_webp_ref_cc

Picture decode_webp(Bytes file) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK) throw Undecodable{};
  Picture picture(features.width, features.height, 3);
  if (features.has_animation) {
    decode_first_frame(file, picture);
  } else {
    const std::size_t bytes = picture.row_bytes() * static_cast<std::size_t>(picture.height());
    if (!WebPDecodeRGBInto(file.data(), file.size(), picture.row(0), bytes, static_cast<int>(picture.row_bytes())))
      throw Undecodable{};
  }
  return picture;
}

}  // namespace norn::ops::image
