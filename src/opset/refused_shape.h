// How a function body refuses what its nodes would accept: a Reshape to an impossible shape, whose name says what is
// required. The error is then reported as the operator's.
#pragma once
#include <cstdint>
#include <string_view>

namespace norn::opset {

inline constexpr std::int64_t kRefusedSize = -7;              // of each axis
inline constexpr std::string_view kRefusedSuffix = "_shape";  // of the shape's name, behind what is asked for

}  // namespace norn::opset
