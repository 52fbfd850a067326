// Keys to values, by a table.
#pragma once
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

}  // namespace norn::ops
