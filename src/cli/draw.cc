#include "draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "value_text.h"

namespace norn::cli {

namespace {

using Pixel = std::array<double, 3>;

struct Grid {
  int height = 0, width = 0;
  std::vector<Pixel> pixels;  // 0 is dark, 1 is bright
  const Pixel& at(int y, int x) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
};

Grid grid_of(const Tensor& batch, std::int64_t index, int most) {
  const Shape& dims = batch.dims();
  const std::int64_t height = dims[dims.size() - 2], width = dims.back();
  const std::int64_t channels = dims.size() == 4 ? dims[1] : 1;
  const std::int64_t start = index * channels * height * width;
  // A cell of the grid is the mean of shrink x shrink pixels.
  const std::int64_t shrink = std::max<std::int64_t>(1, (std::max(height, width) + most - 1) / most);
  Grid grid{static_cast<int>((height + shrink - 1) / shrink), static_cast<int>((width + shrink - 1) / shrink), {}};
  double least = HUGE_VAL, largest = -HUGE_VAL;
  for (int y = 0; y < grid.height; ++y) {
    for (int x = 0; x < grid.width; ++x) {
      Pixel cell{};
      for (std::size_t c = 0; c < 3; ++c) {
        const std::int64_t plane = start + (channels == 3 ? static_cast<std::int64_t>(c) : 0) * height * width;
        double sum = 0;
        int count = 0;
        for (std::int64_t v = y * shrink; v < std::min(height, (y + 1) * shrink); ++v) {
          for (std::int64_t u = x * shrink; u < std::min(width, (x + 1) * shrink); ++u, ++count) {
            sum += number_at(batch, plane + v * width + u).value_or(0);
          }
        }
        cell[c] = sum / count;
        if (std::isfinite(cell[c])) {
          least = std::min(least, cell[c]);
          largest = std::max(largest, cell[c]);
        }
      }
      grid.pixels.push_back(cell);
    }
  }
  const double range = largest > least ? largest - least : 1;
  for (Pixel& p : grid.pixels) {
    for (double& c : p) c = std::isfinite(c) ? (c - least) / range : 0;
  }
  return grid;
}

std::string colour_code(const char* ground, const Pixel& p) {
  const auto level = [](double c) { return static_cast<int>(std::lround(c * 255)); };
  return fmt::format("\033[{};2;{};{};{}m", ground, level(p[0]), level(p[1]), level(p[2]));
}

}  // namespace

Picture draw(const Tensor& batch, std::int64_t index, bool colour, int most) {
  const Grid grid = grid_of(batch, index, most);
  Picture picture;
  if (colour) {
    picture.width = grid.width;
    for (int y = 0; y < grid.height; y += 2) {
      std::string line;
      for (int x = 0; x < grid.width; ++x) {
        line += colour_code("38", grid.at(y, x));
        if (y + 1 < grid.height) line += colour_code("48", grid.at(y + 1, x));
        line += "▀";
      }
      picture.lines.push_back(line + "\033[0m");
    }
    return picture;
  }
  static constexpr const char* kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  picture.width = 2 * grid.width;
  for (int y = 0; y < grid.height; ++y) {
    std::string line;
    for (int x = 0; x < grid.width; ++x) {
      const Pixel& p = grid.at(y, x);
      const double grey = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
      line += kShades[std::clamp(static_cast<int>(grey * 5), 0, 4)];
    }
    picture.lines.push_back(line);
  }
  return picture;
}

std::string side_by_side(const std::vector<Picture>& pictures, const std::vector<std::vector<std::string>>& captions) {
  std::string text;
  std::size_t height = 0, below = 0;
  for (const Picture& p : pictures) height = std::max(height, p.lines.size());
  for (const auto& c : captions) below = std::max(below, c.size());
  const auto column_width = [&](std::size_t i) {
    std::size_t width = static_cast<std::size_t>(pictures[i].width);
    for (const std::string& line : captions[i]) width = std::max(width, line.size());
    return width;
  };
  for (std::size_t row = 0; row < height + below; ++row) {
    std::string line;
    std::size_t pending = 0;  // spaces that only something to their right makes visible
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      line.append(pending, ' ');
      const bool in_picture = row < pictures[i].lines.size();
      const bool in_caption = row >= height && row - height < captions[i].size();
      const std::string& part = in_picture ? pictures[i].lines[row] : in_caption ? captions[i][row - height] : line;
      const std::size_t used = in_picture ? static_cast<std::size_t>(pictures[i].width) : in_caption ? part.size() : 0;
      if (in_picture || in_caption) line += std::string(part);
      pending = column_width(i) - used + 3;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += "  " + line + "\n";
  }
  return text;
}

}  // namespace norn::cli
