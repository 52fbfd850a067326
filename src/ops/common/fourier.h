// The discrete Fourier transform of one line, in double, in O(n log n) for every length.
#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace norn::ops {

// What transforms of one length share; run() may be called for many lines.
class Fourier {
 public:
  using Complex = std::complex<double>;

  // Of n >= 1 elements. The inverse divides by n.
  Fourier(std::int64_t n, bool inverse);
  // In place; the line has n elements.
  void run(std::span<Complex> line);

 private:
  void forward(std::span<Complex> line);

  bool inverse_;
  std::vector<Complex> roots_;  // e^(-2 pi j k / m), k < m / 2, for lines of m elements, a power of two
  // Where n is not a power of two: e^(-pi j k^2 / n), the transform of its conjugate, and room for m elements.
  std::vector<Complex> chirp_, filter_, work_;
};

}  // namespace norn::ops
