// What a plan depends on of the values it is made for: their types and sizes. Values of equal keys have equal types, so
// that a plan found by its key is a plan for them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "norn/value.h"
#include "opset/value_type.h"

namespace norn::runtime {

// Appends what tells the value's type and sizes. The text of one value ends where its own parts say, so that the keys
// of lists of values are equal only if each value's is.
void append_key(std::vector<std::int64_t>& key, const Value& value);

// A type that describes a value exactly: element type and sizes of a tensor, the kinds and element types of anything
// else. What the value does not tell (an empty optional, the elements of an empty sequence) is taken from `expected`.
opset::ValueType type_of(const Value& value, const opset::ValueType& expected);

// Why the value cannot stand where `declared` is said ("" if it can): kinds, element types, ranks and numbered sizes,
// through sequences, maps and optionals. Dimension variables are the caller's business.
std::string misfit(const Value& value, const opset::ValueType& declared);
// What to do about it; "" if misfit() has nothing to say.
std::string misfit_hint(const Value& value, const opset::ValueType& declared);

}  // namespace norn::runtime
