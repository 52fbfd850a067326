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

void transform(std::span<Complex> x, const std::vector<Complex>& roots) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {  // j counts with its bits reversed
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    const std::size_t step = n / 2 / half;
    for (std::size_t first = 0; first < n; first += 2 * half) {
      for (std::size_t k = first; k < first + half; ++k) {
        const Complex odd = times(roots[(k - first) * step], x[k + half]), even = x[k];
        x[k] = even + odd;
        x[k + half] = even - odd;
      }
    }
  }
}

}  // namespace

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
  roots_.resize(m / 2);
  for (std::uint64_t k = 0; k < m / 2; ++k) roots_[k] = root(k, m);
  if (chirp_.empty()) return;
  work_.resize(m);
  filter_.resize(m);
  for (std::uint64_t k = 0; k < size; ++k) filter_[k] = filter_[(m - k) % m] = std::conj(chirp_[k]);
  transform(filter_, roots_);
}

void Fourier::forward(std::span<Complex> line) {
  if (chirp_.empty()) return transform(line, roots_);
  const std::size_t n = line.size(), m = work_.size();
  for (std::size_t k = 0; k < m; ++k) work_[k] = k < n ? times(line[k], chirp_[k]) : Complex();
  transform(work_, roots_);
  // The inverse of the product is the conjugate of the transform of its conjugate.
  for (std::size_t k = 0; k < m; ++k) work_[k] = std::conj(times(work_[k], filter_[k]));
  transform(work_, roots_);
  for (std::size_t k = 0; k < n; ++k) line[k] = times(std::conj(work_[k]), chirp_[k]) / static_cast<double>(m);
}

void Fourier::run(std::span<Complex> line) {
  if (!inverse_) return forward(line);
  for (Complex& x : line) x = std::conj(x);
  forward(line);
  for (Complex& x : line) x = std::conj(x) / static_cast<double>(line.size());
}

}  // namespace norn::ops
