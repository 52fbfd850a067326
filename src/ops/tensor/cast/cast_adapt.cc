// Version steps of Cast. Attributes that came later concern types that came with them, so going down they only vanish.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "ops/tensor/cast/cast.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace cast_adapt_cc {
namespace {

using namespace transform;

void name_to_number(NodeEdit& edit) { edit.set_attr("to", static_cast<std::int64_t>(cast_target(edit.attrs()))); }

void number_to_name(NodeEdit& edit) {
  std::string name(data_type_name(cast_target(edit.attrs())));
  std::transform(name.begin(), name.end(), name.begin(), base::upper);
  edit.set_attr("to", std::move(name));
}

}  // namespace
}  // namespace cast_adapt_cc

void cast_steps(StepTable& table) {
  table.add(Cast, 1, 6, name_to_number, number_to_name);
  table.add(Cast, 13, 19, unchanged, drop_attr<"saturate">);
  table.add(Cast, 23, 24, unchanged, drop_attr<"round_mode">);
}

}  // namespace norn::ops
