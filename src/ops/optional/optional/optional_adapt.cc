// OptionalHasElement 18 may have no input.
#include "ops/optional/optional/optional.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace optional_adapt_cc {
namespace {

using namespace transform;

void require_input(NodeEdit& edit) {
  if (!edit.has_input(0)) edit.cannot("version 15 needs an input");
}

}  // namespace
}  // namespace optional_adapt_cc

void optional_steps(StepTable& table) { table.add(OptionalHasElement, 15, 18, unchanged, require_input); }

}  // namespace norn::ops
