// Values for people and for JSON: type, a few elements, least, largest and mean.
#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "norn/value.h"

namespace norn::cli {

// Element `i` as a number; nothing for strings, complex numbers and the 8-bit and smaller float formats.
std::optional<double> number_at(const Tensor& tensor, std::int64_t i);
// Element `i` as text.
std::string text_at(const Tensor& tensor, std::int64_t i);

// "float[1,10]  min 0.1  max 0.9  mean 0.5  [0.1, 0.2, ...]"
std::string describe(const Value& value);
nlohmann::ordered_json to_json(const Value& value);

}  // namespace norn::cli
