// Normalisation of groups of channels.
#pragma once
#include <cstdint>

#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GroupNormalization;

// The number of groups, which is above 0; throws norn::Error (InvalidGraph) otherwise.
std::int64_t resolve_groups(const opset::Attrs& attrs);

}  // namespace norn::ops
