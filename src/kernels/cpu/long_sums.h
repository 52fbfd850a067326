// Long sums of f32. A sum that is much larger than a summand loses the summand's low bits, so only a few rows are added
// up in f32 before their sums are continued in double, or with compensation. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

inline constexpr std::int64_t kManyRows = 1024;   // up to so many are added up at once
inline constexpr std::int64_t kRowsAtOnce = 128;  // of more

// sums[i] += part[i], or is set to it if `first`.
inline void add_part(const float* part, double* sums, std::int64_t n, bool first) {
  for (std::int64_t i = 0; i < n; ++i) sums[i] = first ? part[i] : sums[i] + part[i];
}
inline void narrow_sums(const double* sums, float* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(sums[i]);
}

}  // namespace norn::kernels
