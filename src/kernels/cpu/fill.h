// One element many times, by the widest stores of the instruction set. Internal to the kernels.
#pragma once
#include <cstddef>
#include <cstdint>

namespace norn::kernels {

// n times the element of 1, 2, 4 or 8 bytes at `element`. `to` may be any address.
void fill_elements(void* to, const void* element, std::size_t bytes, std::int64_t n);

}  // namespace norn::kernels
