// Small images in a terminal.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "norn/value.h"

namespace norn::cli {

// A picture as lines of equal width: with colour two pixels a character (half blocks), otherwise a pixel is two
// characters of shade. Images wider or higher than `most` pixels are shrunk by averaging.
struct Picture {
  std::vector<std::string> lines;
  int width = 0;  // characters, without escape sequences
};

// `image` is [H,W], [1,H,W] or [3,H,W] (red, green, blue) of numbers; `index` selects an image of a batch with one more
// dimension in front. Brightness goes from the least to the largest value of the image.
Picture draw(const Tensor& batch, std::int64_t index, bool colour, int most = 32);

// Pictures side by side, with captions (lines of text) below each.
std::string side_by_side(const std::vector<Picture>& pictures, const std::vector<std::vector<std::string>>& captions);

}  // namespace norn::cli
