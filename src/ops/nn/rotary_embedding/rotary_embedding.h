// Positions as rotations of pairs of elements.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RotaryEmbedding;

// What a node's attributes say.
struct RotaryOptions {
  std::int64_t heads = 0;    // of an X of rank 3; 0 where they are not given
  std::int64_t rotated = 0;  // elements of a head that are turned; 0: all of them
  bool interleaved = false;
};
RotaryOptions resolve_rotary_options(const opset::NodeView& node);

// X seen as [batch, sequence, heads, size], whichever rank it has; strides are in elements of dense memory.
struct RotaryParams {
  std::int64_t batch = 0, sequence = 0, heads = 0, size = 0;
  std::int64_t batch_stride = 0, sequence_stride = 0, head_stride = 0;
  std::int64_t rotated = 0;  // elements of a head that are turned
  bool interleaved = false;
};
// Requires that shapes are known; throws if X cannot be turned by caches of theirs.
RotaryParams resolve_rotary(const opset::NodeView& node);

}  // namespace norn::ops
