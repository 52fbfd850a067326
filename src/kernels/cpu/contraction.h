// Sums of products in any arithmetic type, over operands that lie with strides: matrix products of other types than
// float, Einsum, transposed convolutions. Integers wrap.
#pragma once
#include <cstring>
#include <span>

#include "kernels/cpu/transpose.h"
#include "kernels/kernel.h"

namespace norn::kernels {

// c[..., i, j] = alpha * sum over l of a[..., i, l] b[..., l, j] + beta * d[i, j], for every index of `batch`; the sum
// is taken over every index of `sums` as well. Operands: a, b, d (null without one), then c, in which neighbours along
// j lie side by side.
struct ContractionConfig {
  struct Batch {
    std::int64_t size, a, b, c;  // strides, in elements
  };
  DataType type = DataType::Double;
  std::vector<Batch> batch, sums;  // sums have no stride in c
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t a_row = 0, a_column = 0, b_row = 0, b_column = 0, c_row = 0;
  double alpha = 1, beta = 1;  // of floating types
  bool has_d = false;
  Shape d;              // broadcasts to [m, n]
  Contents b_constant;  // of b
};
std::span<const Candidate<ContractionConfig>> contraction_candidates();
// For that table: many rows times a tiny matrix (matmul_narrow.cc).
std::string narrow_contraction_refuses(const ContractionConfig& config);
std::unique_ptr<Kernel> make_narrow_contraction(const ContractionConfig& config, PackedConstants& packed);

// A product of a product: `first` makes `middle` elements, which are A of `second`, or B. Operands: A and B of the
// first, the other operand of the second, then its result.
struct ContractionPairConfig {
  ContractionConfig first, second;
  std::int64_t middle = 0;
  bool middle_is_a = true;
};
std::span<const Candidate<ContractionPairConfig>> contraction_pair_candidates();

// out[i...] = the sum over j... of x[i..., j...], which lie with any strides. Operands: x, then the output (dense).
// Sums of floats are taken in double.
struct StridedSumConfig {
  DataType type = DataType::Float;
  Shape kept, summed;
  std::vector<std::int64_t> kept_strides, summed_strides;  // not negative
};
std::span<const Candidate<StridedSumConfig>> strided_sum_candidates();

// ONNX ConvTranspose in float or double. Operands: x, w, bias (null without one), then the output; w is dense.
struct DeconvConfig {
  DataType type = DataType::Float;
  Shape x, w, out;
  std::int64_t group = 1;
  bool has_bias = false;
  // For each spatial dimension: element i of x and position t of the kernel meet at output element
  // i * strides + t * dilations - pads_begin.
  std::vector<std::int64_t> strides, dilations, pads_begin;
  Layout layout = Layout::Dense;  // of x and of the output
  Contents weights;               // of w
};
std::span<const Candidate<DeconvConfig>> deconv_candidates();

// ONNX Col2Im in float or double: blocks of `kernel`, each a column, added up in images. Operands: x [planes, positions
// of the kernel, columns], then the output [planes, image].
struct Col2ImConfig {
  DataType type = DataType::Float;
  std::int64_t planes = 1;
  std::vector<std::int64_t> columns, image, kernel, strides, dilations, pads_begin;
};
std::span<const Candidate<Col2ImConfig>> col2im_candidates();

// Internal to the kernels: with channels last.
std::string deconv_sizes_refuse(const DeconvConfig& c);
std::string deconv_rows_refuses(const DeconvConfig& c);
// Whether products with channels last gain more than it costs to move the channels of a dense input and output.
bool deconv_rows_gain(const DeconvConfig& c);
std::unique_ptr<Kernel> make_deconv_rows(const DeconvConfig& c, PackedConstants& packed);
// As convolutions with channels first, or as products that are added where they fall; what these take on one thread.
std::string deconv_phases_refuse(const DeconvConfig& c);
std::unique_ptr<Kernel> make_deconv_phases(const DeconvConfig& c, PackedConstants& packed);
std::unique_ptr<Kernel> make_added_deconv(const DeconvConfig& c, PackedConstants& packed);
double deconv_added_ns(const DeconvConfig& c);
// Whether convolutions take its sizes, and less time than that.
bool deconv_phases_gain(const DeconvConfig& c, double ns);

// Internal to the kernels: loops for a target's instruction set. B lies in panels of `width` columns, `panel_stride`
// apart, whose rows are `row_stride` apart; the last one can be read to its full width. With `add` the products are
// added to what is in c.
template <class T>
struct ProductLoops {
  std::int64_t width;
  void (*multiply)(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_row,
                   std::int64_t a_column, const T* b, std::int64_t panel_stride, std::int64_t row_stride, T* c,
                   std::int64_t c_row, bool add);
};
template <class T>
ProductLoops<T> product_loops();

// Panels [first, last) of B (element (l, j) at b[l * b_row + j * b_column]), zeros beyond column n.
template <class T>
void pack_product_panels(const T* b, std::int64_t b_row, std::int64_t b_column, std::int64_t k, std::int64_t n,
                         std::int64_t width, std::int64_t first, std::int64_t last, T* packed) {
  constexpr std::int64_t kWorthTurning = 8;
  if (b_column == 1) {
    // Row by row: each lies on another page, and those that are powers of two apart take each other's place in caches.
    constexpr std::int64_t kAhead = 16, kLine = 64 / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t begin = first * width, end = n < last * width ? n : last * width;
    for (std::int64_t l = 0; l < k; ++l, b += b_row) {
      for (std::int64_t j = begin; j < end && l + kAhead < k; j += kLine) __builtin_prefetch(b + kAhead * b_row + j);
      for (std::int64_t p = first; p < last; ++p) {
        const std::int64_t columns = end - p * width < width ? end - p * width : width;
        T* const to = packed + (p * k + l) * width;
        if (columns == width) {
          std::memcpy(to, b + p * width, static_cast<std::size_t>(width) * sizeof(T));
          continue;
        }
        for (std::int64_t j = 0; j < columns; ++j) std::memcpy(to + j, b + p * width + j, sizeof(T));
        for (std::int64_t j = columns; j < width; ++j) to[j] = T{0};
      }
    }
    return;
  }
  const bool turns = b_row == 1 && k >= kWorthTurning;  // columns lie as rows do
  for (std::int64_t p = first; p < last; ++p) {
    const std::int64_t columns = n - p * width < width ? n - p * width : width;
    const T* from = b + p * width * b_column;
    T* to = packed + p * width * k;
    if (turns) {
      transpose_grid(from, to, nullptr, 0, columns, k, b_column, width, sizeof(T));
      for (std::int64_t l = 0; columns < width && l < k; ++l)
        for (std::int64_t j = columns; j < width; ++j) to[l * width + j] = T{0};
      continue;
    }
    for (std::int64_t l = 0; l < k; ++l, from += b_row, to += width) {
      // Contents of a file may not be aligned.
      for (std::int64_t j = 0; j < columns; ++j) std::memcpy(to + j, from + j * b_column, sizeof(T));
      for (std::int64_t j = columns; j < width; ++j) to[j] = T{0};
    }
  }
}

}  // namespace norn::kernels
