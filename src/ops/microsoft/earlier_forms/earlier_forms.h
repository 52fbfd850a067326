// Operators that ONNX Runtime had before ONNX had its own, and distances.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator CDist, ExpandDims, GatherND, Pad, Range, Trilu, Unique;

}  // namespace norn::ops::microsoft
