// What a plan depends on of the values it is made for: their types and sizes. Values of equal keys have equal types, so
// that a plan found by its key is a plan for them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "norn/value.h"
#include "opset/value_type.h"

namespace norn::runtime {

// Appends the value's type and sizes. Each value's key determines its own length, so that the keys of lists of values
// are equal only if each value's is.
void append_key(std::vector<std::int64_t>& key, const Value& value);

// A type that describes a value exactly: element type and sizes of a tensor, the kinds and element types of anything
// else. What the value leaves open (an empty optional, the elements of an empty sequence) is taken from `expected`.
opset::ValueType type_of(const Value& value, const opset::ValueType& expected);

// Why the value does not match `declared` ("" if it does): kinds, element types, ranks and numbered sizes, through
// sequences, maps and optionals. Dimension variables are left to the caller.
std::string misfit(const Value& value, const opset::ValueType& declared);
// What to do about it; "" if misfit() has nothing to say.
std::string misfit_hint(const Value& value, const opset::ValueType& declared);

}  // namespace norn::runtime
