// Attributes that came later concern types that came with them, so going down they only vanish.
#include "ops/tensor/cast_like/cast_like.h"
#include "transform/shared_steps.h"

namespace norn::ops {
void cast_like_steps(transform::StepTable& table) {
  table.add(CastLike, 15, 19, transform::unchanged, transform::drop_attr<"saturate">);
  table.add(CastLike, 23, 24, transform::unchanged, transform::drop_attr<"round_mode">);
}

}  // namespace norn::ops
