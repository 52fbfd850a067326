// Values as text and as JSON: type, a few elements, least, largest and mean.
#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

#include "norn/element.h"
#include "norn/value.h"

namespace norn::cli {

// Element `i` as text.
std::string text_at(const Tensor& tensor, std::int64_t i);

// "float[1,10]  min 0.1  max 0.9  mean 0.5  [0.1, 0.2, ...]"
std::string describe(const Value& value);
nlohmann::ordered_json to_json(const Value& value);

}  // namespace norn::cli
