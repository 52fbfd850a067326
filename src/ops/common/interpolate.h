// Weights of interpolation between elements that lie one apart.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "norn/types.h"

namespace norn::ops {

// Of an element at this distance from the place that is asked for.
inline double linear_weight(double distance) { return std::max(0.0, 1 - std::fabs(distance)); }
// Cubic convolution with the coefficient `a` (Keys 1981, equation 4).
inline double cubic_weight(double distance, double a) {
  const double d = std::fabs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

// What elements of a domain are summed in. long double holds every integer of 64 bits, so that what is only moved stays
// what it is.
template <class D>
using WeightedSum =
    std::conditional_t<std::is_same_v<D, double> || std::is_same_v<D, std::complex<double>>, D, long double>;

// A whole number as an element of an integer type, kept within its range; NaN becomes 0.
template <class D>
D saturated(long double x, DataType type) {
  if (std::isnan(x)) return 0;
  const bool is_signed = std::is_same_v<D, std::int64_t>;
  const int bits = (type == DataType::Bool ? 1 : 8 * static_cast<int>(element_size(type))) - (is_signed ? 1 : 0);
  const long double bound = std::ldexp(1.0L, bits);
  if (x >= bound) return static_cast<D>(~std::uint64_t{0} >> (64 - bits));
  return static_cast<D>(std::max(x, is_signed ? -bound : 0.0L));
}

}  // namespace norn::ops
