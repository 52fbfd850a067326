// ImageDecoder of the formats that libraries read. The files are made by the libraries' encoders, or put together here
// where an encoder would not write them; without loss, so that the truth is what went in. onnx's own cases, which
// Pillow wrote, are run by tests/python/test_node_conformance.py.
#include <openjpeg.h>
#include <png.h>
#include <tiffio.h>
#include <webp/encode.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>

// It needs FILE.
#include <jpeglib.h>

#include "norn/error.h"
#include "ops/image/image_decoder/image_decoder_files_test.h"

namespace norn::ops::test {
inline namespace image_decoder_library_test_cc {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

std::string noise(std::size_t bytes, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

std::uint8_t* bytes(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

void expect_limit(std::string_view file) {
  try {
    decoded(file);
    ADD_FAILURE() << "decoded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::LimitExceeded) << error.message();
  }
}

// Whatever happens to a file behind byte `from`, what comes out is an image, nothing, or a refusal of its size.
void expect_survives(const std::string& file, std::uint32_t seed, std::size_t from = 0) {
  ASSERT_GT(decoded(file).size(), 0);
  for (std::size_t n = 0; n < file.size(); n += 1 + n / 60) {
    const Tensor image = decoded(std::string_view(file).substr(0, n));
    EXPECT_EQ(image.rank(), 3);
  }
  std::mt19937 random(seed);
  for (int i = 0; i < 600; ++i) {
    std::string broken = file;
    const std::size_t near = i % 2 ? broken.size() : std::min<std::size_t>(broken.size(), 80);
    for (int j = 0; j <= i % 3; ++j) broken[from + random() % (near - from)] = static_cast<char>(random());
    try {
      EXPECT_EQ(decoded(broken).rank(), 3);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::LimitExceeded) << error.message();
    }
  }
}

// --- PNG

std::string chunk(std::string_view kind, std::string_view content) {
  const std::string checked = std::string(kind) + std::string(content);
  std::uint32_t crc = ~0U;
  for (const char c : checked) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
  }
  return be(content.size(), 4) + checked + be(~crc, 4);
}

struct PngWriter {
  int bits = 8, colour = PNG_COLOR_TYPE_RGB, interlace = PNG_INTERLACE_NONE;
  std::function<void(png_structp, png_infop)> more = {};

  std::string write(std::uint32_t width, std::uint32_t height, std::string pixels) const {
    std::string file;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(
        png, &file,
        [](png_structp p, png_bytep data, std::size_t n) {
          static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), n);
        },
        nullptr);
    png_set_IHDR(png, info, width, height, bits, colour, interlace, 0, 0);
    if (more) more(png, info);
    png_write_info(png, info);
    const std::size_t stride = pixels.size() / height;
    std::vector<png_bytep> rows;
    for (std::uint32_t y = 0; y < height; ++y) rows.push_back(bytes(pixels) + y * stride);
    png_write_image(png, rows.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return file;
  }
};

TEST(ImageDecoder, Png) {
  const std::string pixels = noise(5 * 7 * 3);
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7})
    expect_pixels(PngWriter{.interlace = interlace}.write(7, 5, pixels), {5, 7, 3}, pixels);
  // Colours stay as they are, however transparent; gamma is not applied.
  expect_pixels(PngWriter{.colour = PNG_COLOR_TYPE_RGB_ALPHA}.write(2, 1, "\x01\x02\x03\x00\x04\x05\x06\x80"s),
                {1, 2, 3}, "\x01\x02\x03\x04\x05\x06");
  expect_pixels(
      PngWriter{.more = [](png_structp p, png_infop i) { png_set_gAMA(p, i, 1.0); }}.write(1, 1, "\x40\x80\xc0"s),
      {1, 1, 3}, "\x40\x80\xc0");
  expect_pixels(PngWriter{.colour = PNG_COLOR_TYPE_GRAY}.write(2, 1, "\x05\xf0"s), {1, 2, 3}, "\x05\xf0",
                Gray::Repeated);
  expect_pixels(PngWriter{.colour = PNG_COLOR_TYPE_GRAY_ALPHA}.write(2, 1, "\x05\x01\xf0\x02"s), {1, 2, 3}, "\x05\xf0",
                Gray::Repeated);
  expect_pixels(PngWriter{.bits = 1, .colour = PNG_COLOR_TYPE_GRAY}.write(3, 1, "\x40"s), {1, 3, 3}, "0f0",
                Gray::Repeated);
  expect_pixels(PngWriter{.bits = 4, .colour = PNG_COLOR_TYPE_GRAY}.write(2, 1, "\x5a"s), {1, 2, 3}, "\x55\xaa",
                Gray::Repeated);
  // 16 bits are rounded to 8: 0x0180 / 257 is 1.49, 0x0182 / 257 is 1.502.
  expect_pixels(PngWriter{.bits = 16}.write(1, 1, "\x01\x80\x01\x82\xff\xff"s), {1, 1, 3}, "\x01\x02\xff");
  const auto palette = [](png_structp p, png_infop i) {
    const png_color colours[] = {{1, 2, 3}, {0xf1, 0xf2, 0xf3}};
    const png_byte alpha[] = {0};
    png_set_PLTE(p, i, colours, 2);
    png_set_tRNS(p, i, alpha, 1, nullptr);
  };
  expect_pixels(PngWriter{.bits = 1, .colour = PNG_COLOR_TYPE_PALETTE, .more = palette}.write(2, 1, "\x40"s), {1, 2, 3},
                "\x01\x02\x03\xf1\xf2\xf3");
}

TEST(ImageDecoder, BrokenPng) {
  const auto start = [](std::uint32_t width, std::uint32_t height) {
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", be(width, 4) + be(height, 4) + "\x08\x02" + std::string(3, '\0'));
  };
  expect_limit(start(0x40000000, 0x40000000) + chunk("IDAT", {}));
  expect_limit(start(1, 0x7fffffff) + chunk("IDAT", {}));
  expect_empty(start(16000, 16000) + chunk("IDAT", "\x78"sv) + chunk("IEND", {}));
  expect_empty(start(0, 1) + chunk("IDAT", {}));
  expect_empty(start(0x80000000, 1) + chunk("IDAT", {}));
  expect_empty(start(1, 1) + chunk("PLTE", noise(3)) + chunk("PLTE", noise(3)) + chunk("IDAT", noise(9)));
  std::string wrong = PngWriter{}.write(2, 2, noise(12));
  wrong[wrong.find("IDAT") + 6] ^= 1;  // its checksum does not match
  expect_empty(wrong);
  expect_survives(PngWriter{.interlace = PNG_INTERLACE_ADAM7}.write(9, 9, noise(9 * 9 * 3)), 2);
}

// --- JPEG

std::string jpeg(J_COLOR_SPACE space, int channels, std::uint32_t width, std::uint32_t height, std::string pixels,
                 bool progressive = false) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = width;
  info.image_height = height;
  info.input_components = channels;
  info.in_color_space = space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  for (int c = 0; c < info.num_components; ++c) info.comp_info[c].h_samp_factor = info.comp_info[c].v_samp_factor = 1;
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (std::uint32_t y = 0; y < height; ++y) {
    JSAMPROW row = bytes(pixels) + std::size_t{y} * width * static_cast<unsigned>(channels);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(data, data + size);
  jpeg_destroy_compress(&info);
  std::free(data);
  return file;
}

void expect_near(std::string_view file, const Shape& dims, std::string_view pixels, int most) {
  const Tensor image = decoded(file);
  ASSERT_EQ(image.dims(), dims);
  for (std::int64_t i = 0; i < image.size(); ++i) {
    EXPECT_NEAR(image.as<std::uint8_t>()[i], static_cast<std::uint8_t>(pixels[static_cast<std::size_t>(i)]), most) << i;
  }
}

// Slopes, which the transform keeps well.
std::string slopes(int width, int height, int channels) {
  std::string pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) pixels += static_cast<char>(40 * c + 3 * x + 5 * y + 20);
    }
  }
  return pixels;
}

TEST(ImageDecoder, Jpeg) {
  for (const bool progressive : {false, true}) {
    const std::string rgb = slopes(17, 11, 3);
    expect_near(jpeg(JCS_RGB, 3, 17, 11, rgb, progressive), {11, 17, 3}, rgb, 3);
    std::string wanted;
    for (const char c : slopes(17, 11, 1)) wanted += std::string(3, c);
    expect_near(jpeg(JCS_GRAYSCALE, 1, 17, 11, slopes(17, 11, 1), progressive), {11, 17, 3}, wanted, 2);
  }
  // Ink as Adobe writes it: 255 is none.
  std::string ink, light;
  for (int i = 0; i < 64; ++i) ink += "\xff\x80\x00\x80"s, light += "\x80\x40\x00"s;
  expect_near(jpeg(JCS_CMYK, 4, 8, 8, ink), {8, 8, 3}, light, 3);
}

TEST(ImageDecoder, BrokenJpeg) {
  const std::string file = jpeg(JCS_RGB, 3, 16, 16, noise(16 * 16 * 3));
  for (const std::size_t part : {2U, 3U, 10U}) expect_empty(std::string_view(file).substr(0, file.size() / part));
  std::string large = file;
  const std::size_t frame = large.find("\xff\xc0");
  large.replace(frame + 5, 4, "\xf0\x00\xf0\x00"s);
  expect_limit(large);
  large.replace(frame + 5, 4, "\x27\x10\x27\x10");  // 10000 x 10000, of which 16 x 16 are there
  expect_empty(large);
  expect_survives(file, 3);
  const std::string progressive = jpeg(JCS_RGB, 3, 16, 16, noise(16 * 16 * 3), true);
  expect_survives(progressive, 4);
  const std::size_t scan = progressive.rfind("\xff\xda");  // the last one again and again
  std::string endless = progressive.substr(0, progressive.size() - 2);
  for (int i = 0; i < 1100; ++i) endless += progressive.substr(scan, progressive.size() - 2 - scan);
  expect_empty(endless + "\xff\xd9");
}

// --- TIFF

struct TiffWriter {
  std::uint16_t photometric = PHOTOMETRIC_RGB, channels = 3, bits = 8, compression = COMPRESSION_NONE;
  std::uint16_t orientation = ORIENTATION_TOPLEFT, extra = 0xffff;
  bool tiled = false;
  const char* mode = "w";
  int pages = 1;

  std::string write(std::uint32_t width, std::uint32_t height, std::string pixels) const {
    std::string file;
    struct Sink {
      std::string* file;
      std::size_t at;
    } sink{&file, 0};
    TIFF* tiff = TIFFClientOpen(
        "test", mode, &sink,
        [](thandle_t h, void* to, tmsize_t n) -> tmsize_t {
          auto* s = static_cast<Sink*>(h);
          const std::size_t count = s->file->copy(static_cast<char*>(to), static_cast<std::size_t>(n), s->at);
          s->at += count;
          return static_cast<tmsize_t>(count);
        },
        [](thandle_t h, void* from, tmsize_t n) -> tmsize_t {
          auto* s = static_cast<Sink*>(h);
          if (s->file->size() < s->at + static_cast<std::size_t>(n))
            s->file->resize(s->at + static_cast<std::size_t>(n));
          s->file->replace(s->at, static_cast<std::size_t>(n), static_cast<char*>(from), static_cast<std::size_t>(n));
          s->at += static_cast<std::size_t>(n);
          return n;
        },
        [](thandle_t h, toff_t to, int whence) -> toff_t {
          auto* s = static_cast<Sink*>(h);
          return s->at = to + (whence == SEEK_CUR ? s->at : whence == SEEK_END ? s->file->size() : 0);
        },
        [](thandle_t) { return 0; }, [](thandle_t h) -> toff_t { return static_cast<Sink*>(h)->file->size(); }, nullptr,
        nullptr);
    const std::size_t stride = pixels.size() / height;
    for (int page = 0; page < pages; ++page) {
      TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
      TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
      TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
      TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
      TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
      TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
      TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
      TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation);
      if (photometric == PHOTOMETRIC_PALETTE) {
        std::uint16_t red[256] = {0x0101, 0xf1f1}, green[256] = {0x0202, 0xf2f2}, blue[256] = {0x0303, 0xf3f3};
        TIFFSetField(tiff, TIFFTAG_COLORMAP, red, green, blue);
      }
      if (extra != 0xffff) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
      if (tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
        std::string tile(static_cast<std::size_t>(TIFFTileSize(tiff)), '\0');
        for (std::uint32_t y = 0; y < height; y += 16) {
          for (std::uint32_t x = 0; x < width; x += 16) {
            for (std::uint32_t v = y; v < std::min(height, y + 16); ++v) {
              const std::size_t from = v * stride + x * 3, count = std::min<std::size_t>(width - x, 16) * 3;
              pixels.copy(tile.data() + (v - y) * 48, count, from);
            }
            TIFFWriteTile(tiff, tile.data(), x, y, 0, 0);
          }
        }
      } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 2);
        for (std::uint32_t y = 0; y < height; ++y) TIFFWriteScanline(tiff, pixels.data() + y * stride, y, 0);
      }
      TIFFWriteDirectory(tiff);
      for (char& c : pixels) c = static_cast<char>(c + 1);  // later pages are others
    }
    TIFFClose(tiff);
    return file;
  }
};

TEST(ImageDecoder, Tiff) {
  const std::string pixels = noise(5 * 7 * 3);
  for (const char* mode : {"wl", "wb", "w8"}) {  // byte orders, and the format of large files
    for (const std::uint16_t compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS})
      expect_pixels(TiffWriter{.compression = compression, .mode = mode}.write(7, 5, pixels), {5, 7, 3}, pixels);
  }
  expect_pixels(TiffWriter{.pages = 3}.write(7, 5, pixels), {5, 7, 3}, pixels);
  const std::string large = noise(20 * 37 * 3);
  expect_pixels(TiffWriter{.tiled = true}.write(37, 20, large), {20, 37, 3}, large);
  expect_pixels(TiffWriter{.photometric = PHOTOMETRIC_MINISBLACK, .channels = 1}.write(2, 1, "\x05\xf0"), {1, 2, 3},
                "\x05\xf0", Gray::Repeated);
  expect_pixels(TiffWriter{.photometric = PHOTOMETRIC_MINISWHITE, .channels = 1, .bits = 1}.write(3, 1, "\x40"),
                {1, 3, 3}, "f0f", Gray::Repeated);
  expect_pixels(TiffWriter{.photometric = PHOTOMETRIC_PALETTE, .channels = 1}.write(2, 1, "\x00\x01"s), {1, 2, 3},
                "\x01\x02\x03\xf1\xf2\xf3");
  for (const std::uint16_t alpha : {EXTRASAMPLE_UNASSALPHA, EXTRASAMPLE_ASSOCALPHA, EXTRASAMPLE_UNSPECIFIED})
    expect_pixels(TiffWriter{.channels = 4, .extra = alpha}.write(2, 1, "\x01\x02\x03\x00\x04\x05\x06\x80"s), {1, 2, 3},
                  "\x01\x02\x03\x04\x05\x06");
  expect_pixels(TiffWriter{.bits = 16}.write(1, 1, le(0x0180, 2) + le(0x0182, 2) + le(0xffff, 2)), {1, 1, 3},
                "\x01\x02\xff");
  // 255 is all ink, as JPEG files of Adobe have it not.
  expect_near(TiffWriter{.photometric = PHOTOMETRIC_SEPARATED, .channels = 4}.write(1, 1, "\x00\x7f\xff\x7f"s),
              {1, 1, 3}, "\x80\x40\x00"sv, 1);
}

TEST(ImageDecoder, OrientationsOfTiff) {
  // What is stored is a b c / d e f, each repeated to a pixel. Where its first row and column are is the orientation.
  const auto turned = [](std::uint16_t orientation) {
    std::string stored;
    for (const char c : "abcdef"s) stored += std::string(3, c);
    const Tensor image = decoded(TiffWriter{.orientation = orientation}.write(3, 2, stored));
    std::string seen;
    for (std::int64_t i = 0; i < image.size(); i += 3) {
      if (i > 0 && i / 3 % image.dims()[1] == 0) seen += '/';
      seen += static_cast<char>(image.as<std::uint8_t>()[i]);
    }
    return seen;
  };
  EXPECT_EQ(turned(ORIENTATION_TOPLEFT), "abc/def");
  EXPECT_EQ(turned(ORIENTATION_TOPRIGHT), "cba/fed");
  EXPECT_EQ(turned(ORIENTATION_BOTRIGHT), "fed/cba");
  EXPECT_EQ(turned(ORIENTATION_BOTLEFT), "def/abc");
  EXPECT_EQ(turned(ORIENTATION_LEFTTOP), "ad/be/cf");
  EXPECT_EQ(turned(ORIENTATION_RIGHTTOP), "da/eb/fc");
  EXPECT_EQ(turned(ORIENTATION_RIGHTBOT), "fc/eb/da");
  EXPECT_EQ(turned(ORIENTATION_LEFTBOT), "cf/be/ad");
}

TEST(ImageDecoder, BrokenTiff) {
  const auto with_size = [](std::uint32_t width, std::uint32_t height) {
    std::string file = TiffWriter{}.write(7, 5, noise(5 * 7 * 3));
    const std::size_t entries = file.find(le(TIFFTAG_IMAGEWIDTH, 2) + le(TIFF_SHORT, 2));
    file.replace(entries + 2, 2, le(TIFF_LONG, 2)).replace(entries + 8, 4, le(width, 4));
    return file.replace(entries + 14, 2, le(TIFF_LONG, 2)).replace(entries + 20, 4, le(height, 4));
  };
  expect_limit(with_size(0x7fffffff, 5));
  expect_empty(with_size(0x7fffffff, 0x7fffffff));
  expect_empty(with_size(1, 0xffffffff));
  expect_empty(with_size(16000, 16000));
  expect_empty(with_size(0, 5));
  expect_survives(TiffWriter{.compression = COMPRESSION_LZW}.write(7, 5, noise(5 * 7 * 3)), 5);
  expect_survives(TiffWriter{.tiled = true}.write(17, 5, noise(5 * 17 * 3)), 6);
}

// --- WebP

std::string webp(int width, int height, const std::string& rgb) {
  std::uint8_t* data = nullptr;
  const std::size_t size =
      WebPEncodeLosslessRGB(reinterpret_cast<const std::uint8_t*>(rgb.data()), width, height, width * 3, &data);
  std::string file(data, data + size);
  WebPFree(data);
  return file;
}

std::string riff(const std::string& chunks) { return "RIFF" + le(chunks.size() + 4, 4) + "WEBP" + chunks; }

TEST(ImageDecoder, Webp) {
  const std::string pixels = noise(5 * 7 * 3), file = webp(7, 5, pixels);
  expect_pixels(file, {5, 7, 3}, pixels);
  // An animation of two frames, the first of which lies at (2, 0) of a canvas of 9 x 5 that is black elsewhere.
  const auto frame = [](std::uint32_t x, const std::string& image) {
    return "ANMF" + le(16 + image.size(), 4) + le(x / 2, 3) + le(0, 3) + le(7 - 1, 3) + le(5 - 1, 3) + le(100, 3) +
           "\x02" + image;
  };
  const std::string animation =
      riff("VP8X" + le(10, 4) + "\x12" + le(0, 3) + le(9 - 1, 3) + le(5 - 1, 3) + "ANIM" + le(6, 4) + le(0, 6) +
           frame(2, file.substr(12)) + frame(0, webp(7, 5, noise(5 * 7 * 3, 2)).substr(12)));
  std::string wanted;
  for (std::size_t y = 0; y < 5; ++y) wanted += std::string(6, '\0') + pixels.substr(y * 21, 21);
  expect_pixels(animation, {5, 9, 3}, wanted);
  expect_survives(file, 7);
  expect_survives(animation, 8, 30);  // behind the size of its canvas
  expect_limit(
      riff("VP8X" + le(10, 4) + "\x02" + le(0, 3) + le(0x7fff, 3) + le(0x7fff, 3) + "ANIM" + le(6, 4) + le(0, 6)));
}

// --- JPEG 2000

struct Jpeg2000Writer {
  OPJ_COLOR_SPACE space = OPJ_CLRSPC_SRGB;
  OPJ_UINT32 channels = 3, bits = 8, chroma = 1;  // chroma: how much smaller the other components than the first are
  bool is_signed = false;
  OPJ_CODEC_FORMAT format = OPJ_CODEC_JP2;

  // `samples` has one component after the other.
  std::string write(OPJ_UINT32 width, OPJ_UINT32 height, const std::vector<int>& samples) const {
    std::vector<opj_image_cmptparm_t> components(channels);
    for (OPJ_UINT32 c = 0; c < channels; ++c) {
      const OPJ_UINT32 step = c ? chroma : 1;
      components[c] = {.dx = step,
                       .dy = step,
                       .w = (width + step - 1) / step,
                       .h = (height + step - 1) / step,
                       .prec = bits,
                       .bpp = bits,
                       .sgnd = is_signed};
    }
    opj_image_t* image = opj_image_create(channels, components.data(), space);
    image->x1 = width, image->y1 = height;
    std::size_t at = 0;
    for (OPJ_UINT32 c = 0; c < channels; ++c) {
      for (OPJ_UINT32 i = 0; i < components[c].w * components[c].h; ++i) image->comps[c].data[i] = samples[at++];
    }
    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.numresolution = 1;
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    parameters.tcp_mct = 0;
    opj_codec_t* codec = opj_create_compress(format);
    opj_setup_encoder(codec, &parameters, image);
    struct Sink {
      std::string file;
      std::size_t at = 0;
    } sink;
    opj_stream_t* stream = opj_stream_default_create(OPJ_FALSE);
    opj_stream_set_user_data(stream, &sink, nullptr);
    opj_stream_set_write_function(stream, [](void* from, OPJ_SIZE_T n, void* user) -> OPJ_SIZE_T {
      auto* s = static_cast<Sink*>(user);
      if (s->file.size() < s->at + n) s->file.resize(s->at + n);
      s->file.replace(s->at, n, static_cast<char*>(from), n);
      s->at += n;
      return n;
    });
    opj_stream_set_skip_function(stream, [](OPJ_OFF_T n, void* user) -> OPJ_OFF_T {
      static_cast<Sink*>(user)->at += static_cast<std::size_t>(n);
      return n;
    });
    opj_stream_set_seek_function(stream, [](OPJ_OFF_T to, void* user) -> OPJ_BOOL {
      static_cast<Sink*>(user)->at = static_cast<std::size_t>(to);
      return OPJ_TRUE;
    });
    EXPECT_TRUE(opj_start_compress(codec, image, stream) && opj_encode(codec, stream) &&
                opj_end_compress(codec, stream));
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
    return sink.file;
  }
};

TEST(ImageDecoder, Jpeg2000) {
  const std::vector<int> planes = {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16, 251, 252, 253, 254, 255, 250};
  constexpr std::string_view kPixels = "\x01\x0b\xfb\x02\x0c\xfc\x03\x0d\xfd\x04\x0e\xfe\x05\x0f\xff\x06\x10\xfa"sv;
  for (const auto format : {OPJ_CODEC_JP2, OPJ_CODEC_J2K})
    expect_pixels(Jpeg2000Writer{.format = format}.write(3, 2, planes), {2, 3, 3}, kPixels);
  expect_pixels(Jpeg2000Writer{.space = OPJ_CLRSPC_GRAY, .channels = 1}.write(2, 1, {5, 240}), {1, 2, 3}, "\x05\xf0",
                Gray::Repeated);
  expect_pixels(Jpeg2000Writer{.space = OPJ_CLRSPC_GRAY, .channels = 2}.write(2, 1, {5, 240, 7, 7}), {1, 2, 3},
                "\x05\xf0", Gray::Repeated);
  expect_pixels(Jpeg2000Writer{.channels = 4}.write(1, 1, {1, 2, 3, 0}), {1, 1, 3}, "\x01\x02\x03");
  expect_pixels(Jpeg2000Writer{.bits = 16}.write(1, 1, {0x0180, 0x0182, 0xffff}), {1, 1, 3}, "\x01\x02\xff");
  expect_pixels(Jpeg2000Writer{.bits = 1}.write(1, 1, {0, 1, 0}), {1, 1, 3}, "\x00\xff\x00"sv);
  expect_pixels(Jpeg2000Writer{.is_signed = true}.write(1, 1, {-128, 0, 127}), {1, 1, 3}, "\x00\x80\xff"sv);
  // Chroma of half the size: a gray, and red, of which 76 is the luma and 255 the red chroma.
  expect_near(Jpeg2000Writer{.space = OPJ_CLRSPC_SYCC, .chroma = 2}.write(4, 1, {9, 99, 76, 76, 128, 85, 128, 255}),
              {1, 4, 3}, "\x09\x09\x09\x63\x63\x63\xfe\x00\x00\xfe\x00\x00"sv, 1);
}

TEST(ImageDecoder, BrokenJpeg2000) {
  std::vector<int> samples(std::size_t{3} * 12 * 12);
  std::mt19937 random(9);
  for (int& s : samples) s = static_cast<int>(random() % 256);
  const std::string file = Jpeg2000Writer{}.write(12, 12, samples);
  std::string large = Jpeg2000Writer{.format = OPJ_CODEC_J2K}.write(12, 12, samples);
  const std::size_t size = large.find("\xff\x51") + 6;  // of the image; then of a tile
  const std::string four = be(0x8000, 4);
  large.replace(size, 8, four + four).replace(size + 16, 8, four + four);
  expect_limit(large);
  expect_survives(file, 10);
}

}  // namespace
}  // namespace image_decoder_library_test_cc
}  // namespace norn::ops::test
