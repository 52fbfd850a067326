// How finely contractions are cut: networks of small ones have little else. Internal to the kernels.
#pragma once
#include "kernels/cpu/physical.h"

namespace norn::kernels {

// Pieces for work of so many nanoseconds: one for each 25 microseconds, but two where half of it is 10. A function of
// the shape alone, as piece_count() is.
inline std::int64_t contraction_pieces(double ns, std::int64_t most) {
  constexpr double kWorthTwo = 20e3;
  constexpr std::int64_t kUnits = 1 << 20;
  if (!(ns > kWorthTwo)) return 1;
  return std::max<std::int64_t>(std::min<std::int64_t>(2, most), piece_count(kUnits, 2 * ns / kUnits, most));
}

}  // namespace norn::kernels
