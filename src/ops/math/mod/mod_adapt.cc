// Before version 28 floating types required fmod = 1. Nodes without it are not lifted: they are refused as they are.
#include "ops/math/mod/mod.h"
#include "opset/value_type.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace mod_adapt_cc {
namespace {

using namespace transform;

void require_integers_or_fmod(NodeEdit& edit) {
  if (edit.attrs().i("fmod") == 1) return;
  DataType elem = edit.input_type(0).elem;
  if (elem == DataType::Undefined) elem = edit.input_type(1).elem;
  if (elem == DataType::Undefined)
    edit.cannot("before version 28 floating-point numbers require fmod = 1, and the element type is not known",
                "declare the type of the model's inputs");
  if ((opset::types::kFloats >> static_cast<unsigned>(elem)) & 1u)
    edit.cannot("before version 28 floating-point numbers require fmod = 1");
}

}  // namespace
}  // namespace mod_adapt_cc

void mod_steps(StepTable& table) {
  table.add(Mod, 13, 28, require_integers_or_fmod, require_integers_or_fmod);
  table.keeps(Mod, 13, "the element type is not known, and floating-point numbers without fmod = 1 are refused");
}

}  // namespace norn::ops
