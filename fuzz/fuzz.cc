#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  norn::fuzz::check(data, size);
  return 0;
}
