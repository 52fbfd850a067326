// Lengths that are powers of two are halved again and again. Others become a convolution of such a length (Bluestein's
// algorithm): with 2 k i = k^2 + i^2 - (k - i)^2, the sum over i of x[i] w^(k i) is w^(k^2/2) times the convolution of
// x[i] w^(i^2/2) with w^(-i^2/2).
#include "ops/common/fourier.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace norn::ops {
namespace {

using Complex = Fourier::Complex;

// std::complex's product looks for infinities, which costs more than the product.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// e^(-2 pi j k / n) for k < n; quarters of a turn are exact.
Complex root(std::uint64_t k, std::uint64_t n) {
  const std::uint64_t quarter = 4 * k / n;
  const double angle = std::numbers::pi / 2 * static_cast<double>(4 * k - quarter * n) / static_cast<double>(n);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarter) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

// x + w y and x - w y, for lines of n.
void join(double* __restrict__ xr, double* __restrict__ xi, double* __restrict__ yr, double* __restrict__ yi,
          const double* __restrict__ wr, const double* __restrict__ wi, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double odd_re = wr[k] * yr[k] - wi[k] * yi[k], odd_im = wr[k] * yi[k] + wi[k] * yr[k];
    const double even_re = xr[k], even_im = xi[k];
    xr[k] = even_re + odd_re;
    xi[k] = even_im + odd_im;
    yr[k] = even_re - odd_re;
    yi[k] = even_im - odd_im;
  }
}

}  // namespace

// Real and imaginary parts apart and the roots of each stage behind each other, so that loops go through memory in
// order.
void Fourier::transform() {
  const std::size_t n = order_.size();
  double *re = re_.data(), *im = im_.data();
  if (n == 1) return;
  std::size_t half = 1;
  // The first two stages, whose roots are 1 and -i, are one.
  if (n >= 4) {
    for (std::size_t k = 0; k < n; k += 4) {
      const double ar = re[k] + re[k + 1], ai = im[k] + im[k + 1], br = re[k] - re[k + 1], bi = im[k] - im[k + 1];
      const double cr = re[k + 2] + re[k + 3], ci = im[k + 2] + im[k + 3];
      const double dr = re[k + 2] - re[k + 3], di = im[k + 2] - im[k + 3];
      re[k] = ar + cr, im[k] = ai + ci;
      re[k + 2] = ar - cr, im[k + 2] = ai - ci;
      re[k + 1] = br + di, im[k + 1] = bi - dr;
      re[k + 3] = br - di, im[k + 3] = bi + dr;
    }
    half = 4;
  }
  for (; half < n; half *= 2) {
    const double *wr = root_re_.data() + (half - 1), *wi = root_im_.data() + (half - 1);
    for (std::size_t first = 0; first < n; first += 2 * half) {
      join(re + first, im + first, re + first + half, im + first + half, wr, wi, half);
    }
  }
}

Fourier::Fourier(std::int64_t n, bool inverse) : inverse_(inverse) {
  const auto size = static_cast<std::uint64_t>(n);
  std::uint64_t m = size;
  if (!std::has_single_bit(size)) {
    chirp_.resize(size);
    for (std::uint64_t k = 0, square = 0; k < size; ++k) {  // square is k * k modulo 2 n
      chirp_[k] = root(square, 2 * size);
      square = (square + 2 * k + 1) % (2 * size);
    }
    m = std::bit_ceil(2 * size - 1);
  }
  re_.resize(m);
  im_.resize(m);
  order_.resize(m);
  const int bits = std::countr_zero(m);
  for (std::uint64_t k = 1; k < m; ++k)  // the bits of k reversed
    order_[k] = order_[k / 2] / 2 + (k % 2 << (bits - 1));
  root_re_.resize(m);
  root_im_.resize(m);
  for (std::uint64_t half = m / 2; half > 0; half /= 2)
    for (std::uint64_t k = 0; k < half; ++k) {
      // Those of a stage are every second of the next one's.
      const Complex w =
          2 * half == m ? root(k, m) : Complex(root_re_[2 * half - 1 + 2 * k], root_im_[2 * half - 1 + 2 * k]);
      root_re_[half - 1 + k] = w.real();
      root_im_[half - 1 + k] = w.imag();
    }
  if (chirp_.empty()) return;
  filter_.resize(m);
  for (std::uint64_t k = 0; k < size; ++k) filter_[k] = filter_[(m - k) % m] = std::conj(chirp_[k]);
  for (std::uint64_t k = 0; k < m; ++k) put(k, filter_[k]);
  transform();
  for (std::uint64_t k = 0; k < m; ++k) filter_[k] = {re_[k], im_[k]};
}

void Fourier::forward(std::span<Complex> line) {
  const std::size_t n = line.size(), m = order_.size();
  if (chirp_.empty()) {
    for (std::size_t k = 0; k < n; ++k) put(k, line[k]);
    transform();
    for (std::size_t k = 0; k < n; ++k) line[k] = {re_[k], im_[k]};
    return;
  }
  for (std::size_t k = 0; k < m; ++k) put(k, k < n ? times(line[k], chirp_[k]) : Complex());
  transform();
  // The inverse of the product is the conjugate of the transform of its conjugate.
  product_.resize(m);
  for (std::size_t k = 0; k < m; ++k) product_[k] = std::conj(times({re_[k], im_[k]}, filter_[k]));
  for (std::size_t k = 0; k < m; ++k) put(k, product_[k]);
  transform();
  const double scale = 1 / static_cast<double>(m);  // a power of two
  for (std::size_t k = 0; k < n; ++k) {
    const Complex x = times({re_[k], -im_[k]}, chirp_[k]);
    line[k] = {x.real() * scale, x.imag() * scale};
  }
}

void Fourier::run(std::span<Complex> line) {
  if (!inverse_) return forward(line);
  for (Complex& x : line) x = std::conj(x);
  forward(line);
  for (Complex& x : line) x = std::conj(x) / static_cast<double>(line.size());
}

}  // namespace norn::ops
