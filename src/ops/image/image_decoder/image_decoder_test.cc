// ImageDecoder of the formats that are read here, BMP and PNM, and what holds of every format. Files are written out
// below, so that the truth is their specification. See image_decoder_library_test.cc for those of libraries.
#include "ops/image/image_decoder/image_decoder.h"

#include <string>
#include <string_view>

#include "norn/error.h"
#include "ops/common/case.h"
#include "ops/common/slice_test.h"
#include "ops/image/image_decoder/image_decoder_files_test.h"

namespace norn::ops::test {
inline namespace image_decoder_test_cc {
namespace {

using namespace std::string_view_literals;

const cases::Cases all(
    "ImageDecoder",
    {
        {"ImageDecoder", "uint8[N]", "uint8[?,?,3]"},
        {"ImageDecoder pixel_format={RGB|BGR}", "uint8", "uint8[?,?,3]"},
        {"ImageDecoder pixel_format=Grayscale", "uint8[9]", "uint8[?,?,1]"},
        {"ImageDecoder pixel_format={CMYK|rgb|\"\"}", "uint8[4] 1 2 3 4", "", {.error = "not RGB, BGR or Grayscale"}},
        {"ImageDecoder", "uint8[2,2] 1 2 3 4", "", {.error = "*"}},
        {"ImageDecoder", "int8[4] 1 2 3 4", "", {.error = "*"}},
        // "P5 2 1 255\n" and two pixels.
        {"ImageDecoder pixel_format={RGB|BGR}",
         "uint8[13] 80 53 32 50 32 49 32 50 53 53 10 7 200",
         "uint8[1,2,3] 7 7 7 200 200 200",
         {.late = true}},
        {"ImageDecoder pixel_format=Grayscale",
         "uint8[13] 80 53 32 50 32 49 32 50 53 53 10 7 200",
         "uint8[1,2,1] 7 200",
         {.late = true}},
        // "P6 1 1 255\n" and a pixel, in each order; the gray is 0.299 R + 0.587 G + 0.114 B.
        {"ImageDecoder",
         "uint8[14] 80 54 32 49 32 49 32 50 53 53 10 10 100 200",
         "uint8[1,1,3] 10 100 200",
         {.late = true}},
        {"ImageDecoder pixel_format=BGR",
         "uint8[14] 80 54 32 49 32 49 32 50 53 53 10 10 100 200",
         "uint8[1,1,3] 200 100 10",
         {.late = true}},
        {"ImageDecoder pixel_format=Grayscale",
         "uint8[14] 80 54 32 49 32 49 32 50 53 53 10 10 100 200",
         "uint8[1,1,1] 84",
         {.late = true}},
        // What cannot be decoded is an empty image.
        {"ImageDecoder", "uint8[0]", "uint8[0,0,3]", {.late = true}},
        {"ImageDecoder pixel_format=Grayscale", "uint8[3] 80 53 32", "uint8[0,0,1]", {.late = true}},
    });

TEST(ImageDecoder, Netpbm) {
  expect_pixels("P1\n3 2\n101\n 0 1 #a comment\n 0\n", {2, 3, 3}, "0f0f0f", Gray::Repeated);
  expect_pixels("P2 3 1 # comment\n 15\n0 15 7\n", {1, 3, 3}, "\x00\xff\x77"sv, Gray::Repeated);
  expect_pixels("P3\n2 1\n#x\n255\n1 2 3  250 251 252\n", {1, 2, 3}, "\x01\x02\x03\xfa\xfb\xfc");
  expect_pixels("P4 10 2\n\xff\x80\x00\x40"sv, {2, 10, 3}, "000000000ffffffffff0", Gray::Repeated);
  expect_pixels("P5 2 1 65535\n\xff\xff\x7f\xff"sv, {1, 2, 3}, "\xff\x7f"sv, Gray::Repeated);
  expect_pixels("P5 2 1 100\n\x32\xff"sv, {1, 2, 3}, "\x80\xff"sv, Gray::Repeated);  // 50 of 100; above the maximum
  expect_pixels("P6\r1\t1 255 \x01\x02\x03trailing"sv, {1, 1, 3}, "\x01\x02\x03"sv);
}

TEST(ImageDecoder, BrokenNetpbmIsEmpty) {
  for (const std::string_view file : {"P5"sv,
                                      "P5 2"sv,
                                      "P5 2 1"sv,
                                      "P5 2 1 255"sv,
                                      "P5 2 1 255\n\x01"sv,
                                      "P5 0 1 255\n"sv,
                                      "P5 2 0 255\n"sv,
                                      "P5 -2 1 255\n\x01\x01"sv,
                                      "P5 2 1 0\n\x01\x01"sv,
                                      "P5 2 1 65536\n\x01\x01\x01\x01"sv,
                                      "P5 2x 1 255\n\x01\x01"sv,
                                      "P2 1 1 10 11"sv,
                                      "P2 2 1 10 1"sv,
                                      "P1 2 1 12"sv,
                                      "P1 3 1 11"sv,
                                      "P0 1 1 255\n1"sv,
                                      "P7 1 1 255\n1"sv,
                                      "P5 99999999999999999999 1 255\n1"sv,
                                      "P5 2147483647 2147483647 255\n1"sv,
                                      "P1 2000000000 2000000000 1"sv,
                                      "P6 60000 60000 255\nabc"sv,
                                      "P2 1 1 #"sv,
                                      "P4 9 1\n\xff"sv})
    expect_empty(file);
}

// --- BMP

std::string bmp(std::uint32_t header, std::int32_t width, std::int32_t height, int bits, std::uint32_t compression,
                std::string_view palette_and_masks, std::string_view pixels) {
  std::string info = le(header, 4) + le(static_cast<std::uint32_t>(width), 4) +
                     le(static_cast<std::uint32_t>(height), 4) + le(1, 2) + le(static_cast<std::uint32_t>(bits), 2) +
                     le(compression, 4);
  info.resize(header, '\0');
  const std::string front = info + std::string(palette_and_masks);
  const auto offset = static_cast<std::uint32_t>(14 + front.size());
  return "BM" + le(static_cast<std::uint32_t>(offset + pixels.size()), 4) + le(0, 4) + le(offset, 4) + front +
         std::string(pixels);
}

constexpr std::string_view kTwoColours = "\x01\x02\x03\x00\xf1\xf2\xf3\x00"sv;  // blue, green, red, unused

TEST(ImageDecoder, BitmapsOfTrueColours) {
  constexpr std::string_view kBottomUp = "\x03\x04\x05\x00\x00\x00\x01\x02\x03\x00"sv;
  for (const std::uint32_t header : {40U, 52U, 56U, 64U, 108U, 124U})
    expect_pixels(bmp(header, 1, 2, 24, 0, {}, "\x04\x05\x06\x00\x01\x02\x03\x00"sv), {2, 1, 3},
                  "\x03\x02\x01\x06\x05\x04"sv);
  expect_pixels(bmp(40, 1, -2, 24, 0, {}, "\x01\x02\x03\x00\x04\x05\x06\x00"sv), {2, 1, 3}, "\x03\x02\x01\x06\x05\x04");
  expect_pixels(bmp(40, 2, 1, 32, 0, {}, "\x01\x02\x03\xff\x04\x05\x06\x00"sv), {1, 2, 3}, "\x03\x02\x01\x06\x05\x04");
  // The padding of the last row may be missing, its pixels may not.
  const std::string unpadded = bmp(40, 2, 1, 24, 0, {}, kBottomUp.substr(0, 6));
  expect_pixels(unpadded, {1, 2, 3}, "\x05\x04\x03\x00\x00\x00"sv);
  expect_empty(std::string_view(unpadded).substr(0, unpadded.size() - 1));
}

TEST(ImageDecoder, BitmapsOfMaskedColours) {
  expect_pixels(bmp(40, 2, 1, 16, 0, {}, "\xff\x7f\x00\x7c"sv), {1, 2, 3}, "\xff\xff\xff\xff\x00\x00"sv);
  // 5 bits of red, 6 of green, 5 of blue; half of the green is 32 of 63.
  const std::string masks565 = le(0xf800, 4) + le(0x07e0, 4) + le(0x001f, 4);
  expect_pixels(bmp(40, 2, 1, 16, 3, masks565, "\x00\x04\x1f\xf8"sv), {1, 2, 3}, "\x00\x82\x00\xff\x00\xff"sv);
  const std::string swapped = le(0xff, 4) + le(0xff00, 4) + le(0xff0000, 4);
  expect_pixels(bmp(40, 1, 1, 32, 3, swapped, "\x01\x02\x03\x04"sv), {1, 1, 3}, "\x01\x02\x03"sv);
  expect_pixels(bmp(40, 1, 1, 32, 3, le(0, 12), "\x01\x02\x03\x04"sv), {1, 1, 3}, "\x00\x00\x00"sv);
  // 10 bits each; the top one is at the limit of the word.
  const std::string deep = le(0xffc00000, 4) + le(0x003ff000, 4) + le(0x00000ffc, 4);
  expect_pixels(bmp(40, 1, 1, 32, 3, deep, le(0xffc00000U | 0x00200000U, 4)), {1, 1, 3}, "\xff\x80\x00"sv);
}

TEST(ImageDecoder, BitmapsOfPalettes) {
  const std::string two = std::string(kTwoColours);
  expect_pixels(bmp(40, 3, 1, 1, 0, two, "\x40\x00\x00\x00"sv), {1, 3, 3}, "\x03\x02\x01\xf3\xf2\xf1\x03\x02\x01");
  expect_pixels(bmp(40, 2, 1, 8, 0, two + std::string(254 * 4, '\0'), "\x01\x00\x00\x00"sv), {1, 2, 3},
                "\xf3\xf2\xf1\x03\x02\x01");
  const std::string sixteen = two + std::string(14 * 4, '\x09');
  expect_pixels(bmp(40, 3, 1, 4, 0, sixteen, "\x01\xf0\x00\x00"sv), {1, 3, 3}, "\x03\x02\x01\xf3\xf2\xf1\x09\x09\x09");
  // The header of OS/2 has entries of three bytes.
  const std::string core = "BM" + le(0, 8) + le(14 + 12 + 6, 4) + le(12, 4) + le(2, 2) + le(1, 2) + le(1, 2) +
                           le(1, 2) + "\x01\x02\x03\xf1\xf2\xf3" + "\x40" + std::string(3, '\0');
  expect_pixels(core, {1, 2, 3}, "\x03\x02\x01\xf3\xf2\xf1");
}

TEST(ImageDecoder, BitmapsOfRuns) {
  const std::string palette = std::string(kTwoColours) + std::string(254 * 4, '\0');
  // The bottom row: two of colour 1, then literals 0 1 0 (and a byte of padding); the top row: a move, then one.
  const std::string_view runs = "\x02\x01\x00\x03\x00\x01\x00\x00\x00\x00\x00\x02\x01\x00\x01\x01\x00\x01"sv;
  expect_pixels(bmp(40, 5, 2, 8, 1, palette, runs), {2, 5, 3},
                std::string("\x03\x02\x01\xf3\xf2\xf1") + "\x03\x02\x01\x03\x02\x01\x03\x02\x01" +
                    "\xf3\xf2\xf1\xf3\xf2\xf1\x03\x02\x01\xf3\xf2\xf1\x03\x02\x01");
  const std::string sixteen = std::string(kTwoColours) + std::string(14 * 4, '\0');
  // Three of 1 0 1, then literals 0 1 0 in two bytes; runs beyond the row's end are cut.
  expect_pixels(bmp(40, 6, 1, 4, 2, sixteen, "\x03\x10\x00\x03\x01\x00\xff\x11\x00\x01"sv), {1, 6, 3},
                "\xf3\xf2\xf1\x03\x02\x01\xf3\xf2\xf1\x03\x02\x01\xf3\xf2\xf1\x03\x02\x01");
  expect_pixels(bmp(40, 1, 1, 8, 1, palette, "\x00\x02\xff\xff\x00\x01"sv), {1, 1, 3}, "\x03\x02\x01");
  expect_empty(bmp(40, 2, 1, 8, 1, palette, "\x02"sv));
  expect_empty(bmp(40, 2, 1, 8, 1, palette, "\x00\x09\x01"sv));
  expect_empty(bmp(40, 2, -1, 8, 1, palette, "\x02\x01\x00\x01"sv));
  expect_empty(bmp(40, 2, 1, 24, 1, palette, "\x02\x01\x00\x01"sv));
}

TEST(ImageDecoder, BrokenBitmapsAreEmpty) {
  const std::string good = bmp(40, 2, 1, 24, 0, {}, "\x01\x02\x03\x04\x05\x06\x00\x00"sv);
  for (std::size_t n = 0; n + 2 < good.size(); ++n) expect_empty(std::string_view(good).substr(0, n));
  for (const std::int32_t size : {0, -1, INT32_MIN}) expect_empty(bmp(40, size, 1, 24, 0, {}, "\x01\x02\x03\x00"sv));
  expect_empty(bmp(40, 1, 0, 24, 0, {}, "\x01\x02\x03\x00"sv));
  expect_empty(bmp(40, 2, 1, 24, 3, {}, "\x01\x02\x03\x00"sv));
  expect_empty(bmp(40, 2, 1, 8, 4, {}, "\xff\xd8\xff\x00"sv));  // a JPEG within, which printers take
  for (const int bits : {0, 3, 7, 64}) expect_empty(bmp(40, 1, 1, bits, 0, {}, "\x01\x02\x03\x00\x01\x02\x03\x00"sv));
  for (const std::uint32_t header : {0U, 15U, 1025U}) expect_empty("BM" + le(0, 12) + le(header, 4) + le(0, 2000));
}

// --- every format

TEST(ImageDecoder, SizesAreRefusedBeforeMemoryIsTaken) {
  const std::string runs = bmp(40, 1 << 20, 1 << 20, 8, 1, {}, "\x00\x01"sv);
  try {
    decoded(runs);
    ADD_FAILURE() << "decoded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::LimitExceeded);
    EXPECT_NE(error.message().find("1048576 x 1048576"), std::string::npos) << error.message();
  }
}

TEST(ImageDecoder, WhatIsNoImageIsEmpty) {
  for (const std::string_view file : {"GIF89a"sv, "BM"sv, "RIFF\0\0\0\0WEBP"sv, "RIFF\0\0\0\0WAVE"sv, "II*\0"sv,
                                      "MM\0*\0\0\0\x08"sv, "\xff\xd8\xff"sv, "\x89PNG\r\n\x1a\n"sv,
                                      "\0\0\0\x0cjP  \r\n\x87\n"sv, "\xff\x4f\xff\x51"sv, "P"sv, "\x89PNG"sv, "RIFF"sv})
    expect_empty(file);
}

}  // namespace
}  // namespace image_decoder_test_cc
}  // namespace norn::ops::test
