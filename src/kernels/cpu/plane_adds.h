// Rows of a plane added to another at strides, or put between each other. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

struct PlaneAdds {
  // to[r * to_row + i * step] += from[r * from_row + i] for r < rows, i < n; what lies between is written again as it
  // is.
  void (*apart)(float* to, std::int64_t to_row, std::int64_t step, const float* from, std::int64_t from_row,
                std::int64_t n, std::int64_t rows);
  // to[r * to_row + 2 * i] += even[r * from_row + i], and odd[r * from_row + i] to what follows it.
  void (*pairs)(float* to, std::int64_t to_row, const float* even, const float* odd, std::int64_t from_row,
                std::int64_t n, std::int64_t rows);
  // to[i * step + k] = from[k][i] for i < n, k < step, or `other` where from[k] is null.
  void (*join)(const float* const* from, std::int64_t step, std::int64_t n, float other, float* to);
};
const PlaneAdds& plane_adds();

}  // namespace norn::kernels
