// Attributes that came later concern types that came with them, so going down they only vanish.
#include "ops/tensor/cast_like/cast_like.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace cast_like_adapt_cc {
namespace {

void without_saturate(transform::NodeEdit& edit) { edit.remove_attr("saturate"); }
void without_round_mode(transform::NodeEdit& edit) { edit.remove_attr("round_mode"); }

}  // namespace
}  // namespace cast_like_adapt_cc

void cast_like_steps(transform::StepTable& table) {
  table.add(CastLike, 15, 19, transform::unchanged, without_saturate);
  table.add(CastLike, 23, 24, transform::unchanged, without_round_mode);
}

}  // namespace norn::ops
