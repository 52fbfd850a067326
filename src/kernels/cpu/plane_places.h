// The maxima of windows and where they are, plane by plane, in floating types (half types in f32) and the 8-bit
// integers.
#pragma once
#include <span>

#include "kernels/cpu/plane_pool.h"
#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the maxima and their offsets in x (int64), all [N, C, ...] and dense. NaN is the greatest; of equal
// elements the first in row-major order counts. A window that holds nothing but padding gives the least number and -1.
struct PlanePlacesConfig {
  PlanePoolConfig pool;       // of maxima
  bool column_major = false;  // offsets within a plane count its first spatial dimension fastest
};
std::span<const Candidate<PlanePlacesConfig>> plane_places_candidates();

// Internal to the kernels: out[i] and place[i] become x[i * stride] and first + i * stride where that is greater, or
// where place[i] is -1; i < n.
template <class T>
using PlacesLoop = void (*)(const T* x, std::int64_t n, std::int64_t stride, T* out, std::int32_t* place,
                            std::int32_t first);
template <class T>
PlacesLoop<T> places_loop();

}  // namespace norn::kernels
