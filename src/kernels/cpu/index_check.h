// Internal to the kernels: whether all of n indices lie in [-size, size), for a target's instruction set.
#pragma once
#include <cstdint>

namespace norn::kernels {

bool indices_within(const std::int64_t* index, std::int64_t n, std::int64_t size);
bool indices_within(const std::int32_t* index, std::int64_t n, std::int64_t size);

}  // namespace norn::kernels
