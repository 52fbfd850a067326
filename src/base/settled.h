// Coordinates that were computed from rounded numbers, where the nearest of whole places is asked for.
#pragma once
#include <algorithm>
#include <cmath>

namespace norn::base {

// A coordinate that is computed from a number rounded to float, and known to within `error`: a whole number or a half,
// at which the nearest element changes, replaces it where it is that near.
inline double settled(double x, double error) {
  const double half = std::round(2 * x) / 2;
  return std::fabs(x - half) <= std::min(error, 1e-3) ? half : x;
}

}  // namespace norn::base
