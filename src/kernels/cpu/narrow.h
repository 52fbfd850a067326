// Many rows times a matrix of at most 4 x 4, as coordinates are transformed: the matrix stays in registers. Internal to
// the kernels.
#pragma once
#include <cstdint>

#include "norn/types.h"

namespace norn::kernels {

inline constexpr std::int64_t kNarrow = 4;
// c[i, j] = sum over l of a[i, l] b[l, j] for m rows; all are dense.
using NarrowProduct = void (*)(std::int64_t m, const void* a, const void* b, void* c);
// Null where there is none: for other types than float and double, and other sizes than 1 to 4 columns of 2 to 4 rows.
NarrowProduct narrow_product(DataType type, std::int64_t n, std::int64_t k);

}  // namespace norn::kernels
