// DFT against its definition, sum by sum, and numbers of numpy.fft.
#include <cmath>
#include <complex>
#include <numbers>

#include "ops/common/case.h"
#include "ops/common/fourier.h"
#include "ops/common/slice_test.h"

namespace norn::ops::cases {
inline namespace dft_test_cc {
namespace {

// Along axis 1 of an input of rank 3, its length given by input 1 or the axis.
void by_definition(Sample& s) {
  const auto& dims = s.in(0).dims;
  const bool inverse = s.number("inverse") != 0, onesided = s.number("onesided") != 0, real = inverse && onesided;
  const auto n = s.has(1) ? static_cast<std::int64_t>(s.in(1).values[0]) : real ? 2 * (dims[1] - 1) : dims[1];
  const auto x = [&](std::int64_t row, std::int64_t k) -> std::complex<double> {
    if (k >= dims[1]) return 0;
    return {s.in(0).at({row, k, 0}), dims[2] == 2 ? s.in(0).at({row, k, 1}) : 0.0};
  };
  const std::vector<std::int64_t> out = {dims[0], onesided && !inverse ? n / 2 + 1 : n, real ? 1 : 2};
  auto& y = s.out(0, out);
  for (std::int64_t row = 0; row < dims[0]; ++row)
    for (std::int64_t k = 0; k < out[1]; ++k) {
      std::complex<double> sum = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n);
        const auto of = real && i > n / 2 ? std::conj(x(row, n - i)) : x(row, i);
        sum += of * std::polar(1.0, inverse ? turn : -turn);
      }
      if (inverse) sum /= static_cast<double>(n);
      y[static_cast<std::size_t>(position({row, k, 0}, out))] = sum.real();
      if (!real) y[static_cast<std::size_t>(position({row, k, 1}, out))] = sum.imag();
    }
}

const Cases cases(
    "DFT",
    {
        {"DFT inverse={0|1}",
         "double[2,{1|2|3|4|5|7|8|12|16|31},{1|2}] random",
         "",
         {.formula = by_definition, .tolerance = 1e-12}},
        {"DFT onesided=1",
         "double[2,{1|2|3|6|8|9},1] random; {-|int32[] 1|int64[] 4|int64[] 5|int64[] 16}",
         "",
         {.formula = by_definition, .tolerance = 1e-12}},
        {"DFT onesided=1 inverse=1",
         "double[2,{2|3|5|6},2] random; {-|int32[] 1|int64[] 4|int64[] 5|int64[] 7|int64[] 16}",
         "",
         {.formula = by_definition, .tolerance = 1e-12}},
        {"DFT inverse={0|1}",
         "T1[2,6,2] random; int64[{|1}] {1|4|6|9}",
         "",
         {.formula = by_definition, .types = "float double", .tolerance = 1e-6}},
        {"DFT", "T1[1,4,1] 1 2 3 4", "T1[1,4,2] 10 0 -2 2 -2 0 -2 -2", {.tolerance = 1e-15}},
        {"DFT onesided=1", "T1[1,4,1] 1 2 3 4", "T1[1,3,2] 10 0 -2 2 -2 0", {.tolerance = 1e-15}},
        {"DFT inverse=1", "T1[1,4,2] 10 0 -2 2 -2 0 -2 -2", "T1[1,4,2] 1 0 2 0 3 0 4 0", {.tolerance = 1e-15}},
        {"DFT inverse=1 onesided=1", "T1[1,3,2] 10 7 -2 2 -2 9", "T1[1,4,1] 1 2 3 4", {.tolerance = 1e-15}},
        // numpy.fft.fft([1, 2, 3, 4, 5]) and numpy.fft.irfft of half a spectrum.
        {"DFT",
         "double[1,5,1] 1 2 3 4 5",
         "double[1,5,2] 15 0 -2.5 3.4409548011779334 -2.5 0.81229924058226599 -2.5 -0.81229924058226599 -2.5 "
         "-3.4409548011779334",
         {.tolerance = 1e-14}},
        {"DFT onesided=1 inverse=1",
         "double[1,4,2] 1 0 2 -1 3 1 4 0",
         "double[1,6,1] 2.5 -0.66666666666666663 0.57735026918962573 -0.16666666666666669 -0.57735026918962573 "
         "-0.66666666666666663",
         {.tolerance = 1e-14}},
        // The axis: in 17 the second by default, since 20 the last of the signal's. Others are lines of their own.
        {"DFT-17", "float[1,2,2,1] 1 2 3 5", "float[1,2,2,2] 4 0 7 0 -2 0 -3 0", {.down_to = 17}},
        {"DFT-17 axis=-2", "float[1,2,2,1] 1 2 3 5", "float[1,2,2,2] 3 0 -1 0 8 0 -2 0"},
        {"DFT-20", "float[1,2,2,1] 1 2 3 5", "float[1,2,2,2] 3 0 -1 0 8 0 -2 0", {.down_to = 17}},
        {"DFT-20",
         "float[1,2,2,1] 1 2 3 5; -; int64[{|1}] {1|-3}",
         "float[1,2,2,2] 4 0 7 0 -2 0 -3 0",
         {.down_to = 17}},
        {"DFT-20", "float[2,1] 1 2; int32[] 1; int64[] 0", "float[1,2] 1 0"},

        {"DFT", "float[0,4,{1|2}]", "float[0,4,2]"},
        {"DFT onesided=1", "float[0,4,1]; int64[] 4611686018427387904", "float[0,2305843009213693953,2]"},
        {"DFT", "float[1,0,1]; int64[] 3", "float[1,3,2] 0 0 0 0 0 0"},
        {"DFT", "double[1,2,1] nan 1", "double[1,2,2] nan 0 nan 0", {.tolerance = 1}},
        {"DFT", "float[1,0,1]", "", {.error = "at least 1"}},
        {"DFT inverse=1 onesided=1", "float[1,1,2] 1 0", "", {.error = "at least 1"}},
        {"DFT", "float[1,4,1] 1 2 3 4; int64[] {0|-1|min}", "", {.error = "at least 1"}},
        {"DFT", "float[1,4,1] 1 2 3 4; int64[2] 1 2", "", {.error = "one number"}},
        {"DFT", "float[1,4,{0|3}] random", "", {.error = "last axis"}},
        {"DFT onesided=1", "float[1,4,2] random", "", {.error = "real numbers"}},
        {"DFT onesided=1 inverse=1", "float[1,4,1] random", "", {.error = "complex numbers"}},
        {"DFT-20", "{float[] 1|float[2] 1 2}", "", {.error = "*"}},
        {"DFT-20", "float[1,4,1] random; -; int64[] {2|-1}", "", {.error = "last one"}},
        {"DFT-20", "float[1,4,1] random; -; int64[] {3|-4|min|max}", "", {.error = "axis is"}},
        {"DFT-17 axis={2|-1|3|-4}", "float[1,4,1] random", "", {.error = "*"}},

        {"DFT-20", "float[B,N,1]", "float[B,N,2]"},
        {"DFT-20 onesided=1", "float16[B,N,1]", "float16[B,floor(N/2)+1,2]"},
        {"DFT-20 onesided=1 inverse=1", "double[B,N,2]", "double[B,2*N-2,1]"},
        {"DFT-20", "float[B,N,1]; int64[]", "float[B,?,2]"},
        {"DFT-20", "float[B,N,1]; int64[] M", "float[B,M,2]"},
        {"DFT-20", "float[A,B,C,1]; -; int64[]", "float[A,B,C,2]"},
        {"DFT-20 onesided=1", "float[A,B,C,1]; -; int64[]", "float[?,?,?,2]"},
        {"DFT-17", "float[A,B,C,1]; int64[] 8", "float[A,8,C,2]"},
        {"DFT-17", "float", "float"},
    });

// Forth and back gives the line again, for lengths that a quadratic transform would not finish.
TEST(Fourier, InvertsLongLines) {
  for (const std::int64_t n : {1, 2, 97, 4096, 65537, 100000}) {
    std::vector<Fourier::Complex> line(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < line.size(); ++k)
      line[k] = {std::sin(static_cast<double>(k * k % 1009)), std::cos(static_cast<double>(7 * k))};
    const auto before = line;
    Fourier forth(n, false), back(n, true);
    forth.run(line);
    double power = 0, spectrum = 0, off = 0;
    for (std::size_t k = 0; k < line.size(); ++k) {
      power += std::norm(before[k]);
      spectrum += std::norm(line[k]);
    }
    EXPECT_NEAR(spectrum / static_cast<double>(n), power, 1e-9 * power) << n;
    back.run(line);
    for (std::size_t k = 0; k < line.size(); ++k) off = std::max(off, std::abs(line[k] - before[k]));
    EXPECT_LT(off, 1e-10) << n;
  }
}

// A wave of a whole number of periods has a spectrum of one element.
TEST(Fourier, FindsAWave) {
  for (const std::int64_t n : {12, 1000, 10007}) {
    std::vector<Fourier::Complex> line(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k)
      line[static_cast<std::size_t>(k)] =
          std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(5 * k % n) / static_cast<double>(n));
    Fourier(n, false).run(line);
    for (std::int64_t k = 0; k < n; ++k)
      EXPECT_NEAR(std::abs(line[static_cast<std::size_t>(k)] - (k == 5 ? static_cast<double>(n) : 0.0)), 0, 1e-8);
  }
}

}  // namespace
}  // namespace dft_test_cc
}  // namespace norn::ops::cases
