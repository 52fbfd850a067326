// The contents of a case's tensors (case.h): elements as words, or a generator's name and what it takes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "norn/value.h"

namespace norn::ops::cases {

// Throws norn::Error (Internal): the `text` of a case is not readable.
[[noreturn]] void bad(const std::string& message, std::string_view text);

// A number that takes all of the text.
std::optional<std::int64_t> whole(std::string_view text);
std::optional<double> real(std::string_view text);

// As many words as there are elements: numbers, "max", "min", strings in quotes, "1,2" for a complex number. `text` is
// for what is reported.
Tensor parsed(DataType type, const Shape& dims, const std::vector<std::string>& words, std::string_view text);

bool is_generator(const std::string& word);
// What the generator words[0] gives: "iota", "fill 3", "random", "uniform 0 1".
Tensor generated(DataType type, const Shape& dims, const std::vector<std::string>& words, std::uint32_t seed,
                 std::string_view text);

}  // namespace norn::ops::cases
