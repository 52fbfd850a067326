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
  // Of what put() has placed, into re_ and im_.
  void transform();
  void put(std::size_t k, Complex x) {
    re_[order_[k]] = x.real();
    im_[order_[k]] = x.imag();
  }

  bool inverse_;
  // Of m elements, a power of two; the order of their numbers with bits reversed. The roots e^(-pi j k / half), k <
  // half, of the stage that joins lines of `half` elements begin at half - 1.
  std::vector<double> re_, im_, root_re_, root_im_;
  std::vector<std::size_t> order_;
  // Where n is not a power of two: e^(-pi j k^2 / n), the transform of its conjugate, and room for m elements.
  std::vector<Complex> chirp_, filter_, product_;
};

}  // namespace norn::ops
