// Bools and sub-byte elements have fewer values than the byte that each takes in memory. What comes in is brought to
// those values where it comes in, so that no kernel meets another.
#pragma once
#include <optional>

#include "norn/value.h"

namespace norn::base {

// The value with every bool 0 or 1, any other byte being true; nothing if all are already. Throws norn::Error
// (InvalidArgument) for a byte that is not a value of its sub-byte type: integers are sign- or zero-extended.
std::optional<Tensor> with_sound_elements(const Tensor& tensor);
std::optional<Value> with_sound_elements(const Value& value);

}  // namespace norn::base
