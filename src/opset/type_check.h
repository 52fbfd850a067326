// Whether a value's type is one that a schema row allows, and the spelling of type sets.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "opset/schema.h"
#include "opset/value_type.h"

namespace norn::opset {

// Also true where the type is not known well enough to exclude it.
bool allows(const TypeSet& set, const ValueType& type);
// Every type of the set, as onnx spells them ("tensor(float)", "seq(map(int64, float))"), sorted.
std::vector<std::string> type_strings(const TypeSet& set);
// The one type of a set that has only one; else Unknown.
ValueType only_type(const TypeSet& set);
// The type that a literal like "tensor(int64)" or "seq(tensor(float))" stands for; Unknown if it is none.
ValueType type_from_string(std::string_view text);
// Equal but for shapes. Unknown equals anything.
bool same_type(const ValueType& a, const ValueType& b);
// The type without its shapes.
ValueType without_shape(const ValueType& type);

}  // namespace norn::opset
