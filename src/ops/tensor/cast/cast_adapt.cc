// Version steps of Cast. Attributes that came later concern types that came with them, so going down they only vanish.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "ops/tensor/cast/cast.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using transform::NodeEdit;

void up_1_6(NodeEdit& edit) { edit.set_attr("to", static_cast<std::int64_t>(cast_target(edit.attrs()))); }

void down_6_1(NodeEdit& edit) {
  std::string name(data_type_name(cast_target(edit.attrs())));
  std::transform(name.begin(), name.end(), name.begin(), base::upper);
  edit.set_attr("to", std::move(name));
}

void nothing(NodeEdit&) {}  // the new attribute's default is what the earlier version did
void down_19_13(NodeEdit& edit) { edit.remove_attr("saturate"); }
void down_24_23(NodeEdit& edit) { edit.remove_attr("round_mode"); }

}  // namespace

void cast_steps(transform::StepTable& table) {
  table.add(Cast, 1, 6, up_1_6);
  table.add(Cast, 6, 1, down_6_1);
  table.add(Cast, 13, 19, nothing);
  table.add(Cast, 19, 13, down_19_13);
  table.add(Cast, 23, 24, nothing);
  table.add(Cast, 24, 23, down_24_23);
}

}  // namespace norn::ops
