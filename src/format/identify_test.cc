#include "format/identify.h"

#include <gtest/gtest.h>

#include <string>

namespace norn::format {
namespace {

using namespace std::string_literals;

std::string what(const std::string& bytes) {
  const auto mistake = identify(std::as_bytes(std::span(bytes)));
  return mistake ? mistake->what : "";
}

TEST(Identify, FormatsByTheirBeginnings) {
  const std::pair<std::string, const char*> rows[] = {
      {"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer, not the file itself"},
      {"  <!DOCTYPE HTML><html>", "a page of HTML"},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s, "a PNG image"},
      {"\xff\xd8\xff\xe0\0\x10JFIF"s, "a JPEG image"},
      {"GIF89a\x10\0"s, "a GIF image"},
      {"RIFF\x24\0\0\0WEBPVP8 "s, "a WebP image"},
      {"RIFF\x24\0\0\0WAVEfmt "s, "a WAV sound"},
      {"II*\0\x08\0\0\0"s, "a TIFF image"},
      {"BM\x46\0\0\0\0\0\0\0\x36\0\0\0"s, "a BMP image"},
      {"PK\x03\x04\x14\0"s, "a zip archive"},
      {"\x89HDF\r\n\x1a\n\0"s, "an HDF5 file"},
      {"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a MATLAB file"},
      {"PAR1\x15\x04"s, "a Parquet file"},
      {"\x80\x03}q\0."s, "a Python pickle, which Norn never unpickles"},
      {"\x80\x04\x95\x02\0\0\0\0\0\0\0"s, "a Python pickle, which Norn never unpickles"},
      {"\x40\0\0\0\0\0\0\0{\"x\":{\"dtype\":\"F32\""s, "a safetensors file"},
      {"", ""},
      {"\x08\x0a\x12\x04test"s, ""},
      {"BM", ""},
      {"\0\0\0\0\0\0\0\0"s, ""}};
  for (const auto& [bytes, wanted] : rows) EXPECT_EQ(what(bytes), wanted);
}

TEST(Identify, HelpFollowsWhatWasWanted) {
  const std::string pickle = "\x80\x03}q\0."s;
  const auto mistake = identify(std::as_bytes(std::span(pickle)));
  ASSERT_TRUE(mistake);
  EXPECT_NE(mistake->hint.find("export the model"), std::string::npos) << mistake->hint;
  EXPECT_NE(mistake->data_hint.find("np.save"), std::string::npos) << mistake->data_hint;
}

}  // namespace
}  // namespace norn::format
