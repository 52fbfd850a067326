// Our own matrix product, for what is too small for oneDNN and for builds without it. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

// B in panels of `width` columns: element (k, n) lies at panels[n / width * panel_stride + k * row_stride + n % width].
// The last panel must be readable to its full width.
struct Panels {
  const float* data;
  std::int64_t panel_stride, row_stride;
  // Fetched into the second cache while products are computed, as many bytes as a panel has: what is multiplied next.
  // Null for nothing.
  const float* next = nullptr;
};

struct GemmTable {
  std::int64_t width;  // of a panel
  // C[m, n] = alpha * sum_k A[m, k] B[k, n] + bias[n]; A by strides, bias may be null.
  void (*multiply)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row,
                   std::int64_t a_column, Panels b, float* c, std::int64_t c_row, const float* bias, float alpha);
  // The same, added to what C holds.
  void (*multiply_onto)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row,
                        std::int64_t a_column, Panels b, float* c, std::int64_t c_row, const float* bias, float alpha);
  // out[p, c] = clamp(bias[c] + sum over taps t of taps[p * tap_count + t][c] * w[t * channels + c]); a null tap is
  // padding.
  void (*depthwise)(std::int64_t pixels, std::int64_t channels, const float* const* taps, std::int64_t tap_count,
                    const float* w, const float* bias, float low, float high, float* out);
  // The same for pixels of a row whose windows of 3 x 3 lie in x: rows[i] is the first pixel's first tap in row i; the
  // taps of a row are `tap_step` apart, the pixels `pixel_step`.
  void (*depthwise_3x3)(std::int64_t pixels, std::int64_t channels, const float* const* rows, std::int64_t tap_step,
                        std::int64_t pixel_step, const float* w, const float* bias, float low, float high, float* out);
};
const GemmTable& gemm_table();

inline std::int64_t packed_floats(std::int64_t k, std::int64_t n) {
  const std::int64_t width = gemm_table().width;
  return (n + width - 1) / width * width * k;
}
// Panels [first, last) of B (element (k, n) at b[k * b_row + n * b_column]), zeros beyond column n. B need not be
// aligned.
void pack_panels(const float* b, std::int64_t b_row, std::int64_t b_column, std::int64_t k, std::int64_t n,
                 std::int64_t first, std::int64_t last, float* packed);

}  // namespace norn::kernels
