// How finely contractions are cut: networks of small ones have little else. Internal to the kernels.
#pragma once
#include "base/division.h"
#include "base/parallel.h"
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

// Where `tasks` share `units` in order: the unit behind `unit` of a task, or where the task ends there, the first one
// of the task that this thread likely takes next; `units` for none.
inline std::int64_t next_unit(std::int64_t unit, std::int64_t units, std::int64_t task, std::int64_t tasks) {
  if (unit + 1 < base::part_of(units, tasks, task).end || !base::takes_last_first()) return unit + 1;
  return task > 0 ? base::part_of(units, tasks, task - 1).begin : units;
}

}  // namespace norn::kernels
