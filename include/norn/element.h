// Elements of any type as numbers.
#pragma once
#include <cstdint>
#include <optional>

#include "norn/export.h"
#include "norn/value.h"

namespace norn {

// The element as a double: exact for every type but int64 and uint64, which are rounded. Nothing for complex numbers
// and strings. `i` is below tensor.size().
NORN_API std::optional<double> number_at(const Tensor& tensor, std::int64_t i);

}  // namespace norn
