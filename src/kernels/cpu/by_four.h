// Elements that are picked from anywhere. Internal to the kernels.
#pragma once
#include <cstdint>
#include <cstring>

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

// Calls use(copy), where copy(to, from) copies so many bytes: of elements and pairs of them in one instruction.
template <class Use>
void with_copy(std::int64_t bytes, const Use& use) {
  switch (bytes) {
    case 1: return use([](char* to, const char* from) { std::memcpy(to, from, 1); });
    case 2: return use([](char* to, const char* from) { std::memcpy(to, from, 2); });
    case 4: return use([](char* to, const char* from) { std::memcpy(to, from, 4); });
    case 8: return use([](char* to, const char* from) { std::memcpy(to, from, 8); });
    case 16: return use([](char* to, const char* from) { std::memcpy(to, from, 16); });
    default:
      return use([n = static_cast<std::size_t>(bytes)](char* to, const char* from) {
        if (n > 0) std::memcpy(to, from, n);
      });
  }
}

}  // namespace norn::kernels
