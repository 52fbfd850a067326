// A grid of sampling points from affine maps.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator AffineGrid;

// Two or three, by the rows or columns of theta or the number of sizes, each -1 where it is not known; nothing if none
// is. A number that is neither two nor three is refused elsewhere.
std::optional<std::int64_t> grid_dimensions(std::int64_t rows, std::int64_t columns, std::int64_t sizes);

}  // namespace norn::ops
