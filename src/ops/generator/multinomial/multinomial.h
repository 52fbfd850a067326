// Class numbers drawn by unnormalised log-probabilities.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Multinomial;

struct MultinomialParams {
  DataType type;
  std::int64_t samples;  // for each batch entry
};
MultinomialParams resolve_multinomial(const opset::NodeView& node);

}  // namespace norn::ops
