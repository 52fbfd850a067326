// Elements that are picked from anywhere. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

// Calls one(i) for i < n, four in a row, which compilers leave alone: vectors of addresses that are taken apart again
// cost more.
template <class One>
void by_four(std::int64_t n, const One& one) {
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    one(i);
    one(i + 1);
    one(i + 2);
    one(i + 3);
  }
  for (; i < n; ++i) one(i);
}

}  // namespace norn::kernels
