// TIFF by libtiff's RGBA reader, which knows every photometric interpretation, tiles, strips and planes. The first
// image of a file counts. The orientation is part of the format; libtiff would only flip, so it is applied here.
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "ops/image/image_decoder/image_decoder_ref.h"

namespace norn::ops::image {
inline namespace image_decoder_tiff_ref_cc {
namespace {

struct MemoryFile {
  Bytes bytes;
  std::uint64_t at = 0;
};

tmsize_t read_tiff(thandle_t handle, void* to, tmsize_t count) {
  auto* file = static_cast<MemoryFile*>(handle);
  if (file->at >= file->bytes.size() || count <= 0) return 0;
  const auto n = std::min<std::uint64_t>(static_cast<std::uint64_t>(count), file->bytes.size() - file->at);
  std::memcpy(to, file->bytes.data() + file->at, n);
  file->at += n;
  return static_cast<tmsize_t>(n);
}

toff_t seek_tiff(thandle_t handle, toff_t offset, int whence) {
  auto* file = static_cast<MemoryFile*>(handle);
  file->at = offset + (whence == SEEK_CUR ? file->at : whence == SEEK_END ? file->bytes.size() : 0);
  return file->at;
}

int be_silent(TIFF*, void*, const char*, const char*, va_list) { return 1; }

std::unique_ptr<TIFF, void (*)(TIFF*)> open(MemoryFile& file) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(4 * Picture::kMaxPixels));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), be_silent, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), be_silent, nullptr);
  // libtiff takes the bytes where they lie. Without that, Debian 12's refuses tiles that are not compressed.
  return {TIFFClientOpenExt(
              "image", "r", &file, read_tiff, [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; }, seek_tiff,
              [](thandle_t) { return 0; },
              [](thandle_t handle) -> toff_t { return static_cast<MemoryFile*>(handle)->bytes.size(); },
              [](thandle_t handle, void** base, toff_t* size) {
                const Bytes bytes = static_cast<MemoryFile*>(handle)->bytes;
                *base = const_cast<std::uint8_t*>(bytes.data());
                *size = bytes.size();
                return 1;
              },
              [](thandle_t, void*, toff_t) {}, options.get()),
          TIFFClose};
}

}  // namespace
}  // namespace image_decoder_tiff_ref_cc

Picture decode_tiff(Bytes file) {
  MemoryFile memory{file};
  const auto tiff = open(memory);
  std::uint32_t width = 0, height = 0;
  if (!tiff || !TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) ||
      !TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height))
    throw Undecodable{};
  std::uint16_t orientation = ORIENTATION_TOPLEFT, extra = 0, *kinds = nullptr;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_ORIENTATION, &orientation);
  if (orientation < ORIENTATION_TOPLEFT || orientation > ORIENTATION_LEFTBOT) orientation = ORIENTATION_TOPLEFT;
  // The file is only read: what is set here is how libtiff takes it. Without this, it would flip rows, and multiply
  // colours by their alpha.
  TIFFSetField(tiff.get(), TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  if (TIFFGetField(tiff.get(), TIFFTAG_EXTRASAMPLES, &extra, &kinds) && extra > 0) {
    const std::vector<std::uint16_t> unspecified(extra, EXTRASAMPLE_UNSPECIFIED);
    TIFFSetField(tiff.get(), TIFFTAG_EXTRASAMPLES, extra, unspecified.data());
  }
  const bool turned = orientation >= ORIENTATION_LEFTTOP;  // rows of the file are columns of the image
  Picture picture(turned ? height : width, turned ? width : height, 3);
  char why[1024];
  if (!TIFFRGBAImageOK(tiff.get(), why)) throw Undecodable{};
  const auto pixels = std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t{width} * height);
  if (!TIFFReadRGBAImageOriented(tiff.get(), width, height, pixels.get(), ORIENTATION_TOPLEFT, 1)) throw Undecodable{};
  const bool from_right = orientation == ORIENTATION_TOPRIGHT || orientation == ORIENTATION_BOTRIGHT ||
                          orientation == ORIENTATION_RIGHTTOP || orientation == ORIENTATION_RIGHTBOT;
  const bool from_bottom = orientation == ORIENTATION_BOTRIGHT || orientation == ORIENTATION_BOTLEFT ||
                           orientation == ORIENTATION_RIGHTBOT || orientation == ORIENTATION_LEFTBOT;
  for (std::int64_t y = 0; y < picture.height(); ++y) {
    std::uint8_t* out = picture.row(y);
    for (std::int64_t x = 0; x < picture.width(); ++x) {
      const std::int64_t u = from_right ? picture.width() - 1 - x : x, v = from_bottom ? picture.height() - 1 - y : y;
      const std::uint32_t pixel = pixels[static_cast<std::size_t>(turned ? u * width + v : v * width + u)];
      *out++ = static_cast<std::uint8_t>(TIFFGetR(pixel));
      *out++ = static_cast<std::uint8_t>(TIFFGetG(pixel));
      *out++ = static_cast<std::uint8_t>(TIFFGetB(pixel));
    }
  }
  return picture;
}

}  // namespace norn::ops::image
