// Before version 11 a negative class switches nothing on; since then it counts from the end. Signed integers become
// unsigned on the way up: the negative ones are then beyond every class.
#include "ops/common/shapes.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/one_hot/one_hot.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace one_hot_adapt_cc {
namespace {

using namespace transform;

bool never_negative(NodeEdit& edit) {
  if ((opset::types::kUnsigned >> static_cast<unsigned>(edit.input_type(0).elem)) & 1u) return true;
  const Tensor* indices = edit.input_constant(0);
  if (!indices) return false;
  for (std::int64_t k = 0; k < indices->size(); ++k)
    if (!(number_at(*indices, k) >= 0)) return false;
  return true;
}

void negative_classes_out(NodeEdit& edit) {
  if (never_negative(edit)) return;
  if (!((opset::types::kSigned >> static_cast<unsigned>(edit.input_type(0).elem)) & 1u))
    edit.cannot("an index may be negative, which gives another vector since version 11");
  edit.wrap_input(0, Cast, 9, {make_attr("to", static_cast<std::int64_t>(DataType::Uint64))});
}

void no_negative_classes(NodeEdit& edit) {
  if (!never_negative(edit)) edit.cannot("an index may be negative, which gives another vector before version 11");
  if (edit.attrs().i("axis") < -1) axis_of_data_from_front(edit, 1);
}

}  // namespace
}  // namespace one_hot_adapt_cc

void one_hot_steps(StepTable& table) {
  table.add(OneHot, 9, 11, negative_classes_out, no_negative_classes);
  table.keeps(OneHot, 9, "an index may be negative, and is not known to be an integer");
}

}  // namespace norn::ops
