// What every fuzz target provides, and the fuzzer and the replay of its corpus share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace norn::fuzz {

// Puts one input through the library. Aborts on a violation; errors that the library reports are fine.
void check(const std::uint8_t* data, std::size_t size);

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

}  // namespace norn::fuzz
