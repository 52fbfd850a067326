// Bounds that loops apply to what they store.
#pragma once
#include <limits>

namespace norn::kernels {

struct Bounds {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

}  // namespace norn::kernels
