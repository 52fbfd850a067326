// Version steps of Clip: bounds from attributes to inputs and back.
//
// An absent bound stays absent both ways. All versions give it the same words, the limits of the type; version 6's
// default of the largest float is that limit for float and must not bound a tensor of doubles.
#include "ops/math/clip/clip.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace clip_adapt_cc {
namespace {

using namespace transform;

constexpr const char* kNames[] = {"min", "max"};

void bounds_to_inputs(NodeEdit& edit) {
  for (int i = 0; i < 2; ++i) {
    if (!edit.attrs().has(kNames[i])) continue;
    set_scalar_input(edit, 1 + i, edit.attrs().f(kNames[i]));
    edit.remove_attr(kNames[i]);
  }
}

void bounds_to_attributes(NodeEdit& edit) {
  for (int i = 2; i >= 1; --i) {
    if (edit.has_input(i)) edit.set_attr(kNames[i - 1], scalar_input(edit, i, kNames[i - 1]));
    edit.drop_input(i);
  }
}

}  // namespace
}  // namespace clip_adapt_cc

void clip_steps(StepTable& table) {
  table.add(Clip, 1, 6, drop_consumed_inputs, unchanged);
  table.add(Clip, 6, 11, bounds_to_inputs, bounds_to_attributes);
}

}  // namespace norn::ops
