// Which elements are infinite or not a number.
#pragma once
#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator IsInf, IsNaN;

// Which infinities an IsInf detects.
struct DetectedSigns {
  bool negative, positive;
};
DetectedSigns resolve_is_inf(const opset::Attrs& attrs);

}  // namespace norn::ops
