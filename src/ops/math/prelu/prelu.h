// Leaky rectification with a learned slope.
#pragma once
#include <cstdint>

#include "opset/infer_context.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator PRelu;

enum class SlopeFit : std::uint8_t { Fits, DoesNotFit, DependsOnSizes };
// Whether X keeps its shape: the slope broadcasts to X or, `by_channels`, is one number or has one for each of X's
// channels.
SlopeFit slope_fit(const opset::Dims& x, const opset::Dims& slope, bool by_channels);
// Whether it is known to be.
bool is_one_number(const opset::Dims& slope);

}  // namespace norn::ops
