// Attention with a recurrent state instead of a matrix of scores.
#pragma once
#include <cstdint>

#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LinearAttention;

struct LinearAttentionParams {
  std::int64_t q_heads = 0, kv_heads = 0;
  bool gated = false, delta = false;  // what the update rule is made of
};
// Throws norn::Error (InvalidGraph) for heads that are not multiples, an update rule that is not known and one whose
// inputs, `decay` for gates and `beta` for the delta, are missing.
LinearAttentionParams resolve_linear_attention(const opset::Attrs& attrs, bool has_decay, bool has_beta);

}  // namespace norn::ops
