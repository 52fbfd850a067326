// What tests of ImageDecoder share: files as bytes, and what comes out of them.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/common/slice_test.h"
#include "ops/image/image_decoder/image_decoder.h"

namespace norn::ops::test {

// `value` in so many bytes, the lowest first; the highest first.
inline std::string le(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> 8 * i : 0);
  return text;
}
inline std::string be(std::uint64_t value, std::size_t bytes) {
  const std::string text = le(value, bytes);
  return {text.rbegin(), text.rend()};
}

inline Tensor decoded(std::string_view file, std::string_view format = "RGB") {
  ir::Attribute attribute;
  attribute.name = std::string("pixel_format");
  attribute.type = static_cast<std::int32_t>(ir::AttributeType::String);
  attribute.s = std::string(format);
  Tensor stream(DataType::Uint8, {static_cast<std::int64_t>(file.size())});
  std::copy(file.begin(), file.end(), stream.as_mutable<std::uint8_t>());
  return run(ImageDecoder, 20, {attribute}, {stream})[0].tensor();
}

inline std::string bytes_of(const Tensor& tensor) {
  const auto* data = tensor.as<std::uint8_t>();
  return {data, data + tensor.size()};
}

// Pixels are listed as they are, or as one gray for each; in lists of bits "0" is black and "f" is white.
enum class Gray { No, Repeated };
inline void expect_pixels(std::string_view file, const Shape& dims, std::string_view pixels, Gray gray = Gray::No) {
  SCOPED_TRACE(testing::PrintToString(std::string(file.substr(0, 64))));
  const Tensor image = decoded(file);
  ASSERT_EQ(image.dims(), dims);
  std::string wanted;
  for (const char c : pixels) {
    if (gray == Gray::No)
      wanted += c;
    else
      wanted += std::string(3, c == '0' ? '\0' : c == 'f' ? '\xff' : c);
  }
  EXPECT_EQ(bytes_of(image), wanted);
}

inline void expect_empty(std::string_view file) {
  SCOPED_TRACE(testing::PrintToString(std::string(file.substr(0, 64))));
  EXPECT_EQ(decoded(file).dims(), (Shape{0, 0, 3}));
  EXPECT_EQ(decoded(file, "Grayscale").dims(), (Shape{0, 0, 1}));
}

}  // namespace norn::ops::test
