// Keys to values, by a table.
#pragma once
#include <cstdint>
#include <vector>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LabelEncoder;

struct LabelPairs {
  Tensor keys, values;  // as many of both
  Tensor otherwise;     // one element of the values' type
  // Floats are compared by their bits (version 2); else zeros of both signs are one key, and all NaN are.
  bool bitwise = false;
  bool first_counts = false;  // of keys given twice; else the last does
};
// For an X of this type, which may be unknown but in version 1, whose direction it says.
LabelPairs resolve_label_encoder(const opset::NodeView& node, DataType x);

// Keys of a type other than string as 64 bits: equal where they are equal as keys. A float's bits are those of the
// double of its value and, where they are not compared by their bits, of one NaN and one zero.
std::vector<std::int64_t> comparable_keys(const Tensor& keys, bool bitwise);

}  // namespace norn::ops
