// Keys to values, by a table.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LabelEncoder;

}  // namespace norn::ops
