// How a function body refuses what its nodes would let pass: a Reshape to a shape that there is not, named after what
// is asked for. What fails is then said of the operator.
#pragma once
#include <cstdint>
#include <string_view>

namespace norn::opset {

inline constexpr std::int64_t kRefusedSize = -7;              // of each axis
inline constexpr std::string_view kRefusedSuffix = "_shape";  // of the shape's name, behind what is asked for

}  // namespace norn::opset
