// The least is applied first: where the limits cross, the most counts.
#include "ops/math/clip/clip.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace clip_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void clip_body(BodyBuilder& b) {
  std::string value = "input";
  if (b.has_input(1)) {
    b.add("at_least = Max (input, min)");
    value = "at_least";
  }
  b.add(b.has_input(2) ? "output = Min (" + value + ", max)" : "output = Identity (" + value + ")");
}

constexpr FunctionBody kClipBodies[] = {{.since = 11, .opset = 13, .build = clip_body}};

}  // namespace
}  // namespace clip_body_cc

void clip_bodies(opset::BodyTable& table) { table.add(Clip, kClipBodies); }

}  // namespace norn::ops
