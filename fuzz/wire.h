// What every fuzzed input is put through; the fuzzer and the replay of the corpus share it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace norn::fuzz {

// Reads the bytes as a model. If that works, writing it and reading it again has to give the same bytes, and nothing
// that looks at the model may crash. Aborts on a violation; errors that the library reports are fine.
void check_wire(const std::uint8_t* data, std::size_t size);

}  // namespace norn::fuzz
