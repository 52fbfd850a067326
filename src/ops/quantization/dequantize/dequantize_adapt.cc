// Version steps of DequantizeLinear: upwards nothing changes, but that up to 12 the scale is one number.
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize_adapt.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace dequantize_adapt_cc {
namespace {

using namespace transform;

// 23 -> 21: the output has the scale's type.
void drop_output_dtype(NodeEdit& edit) {
  const std::int64_t to = edit.attrs().i("output_dtype");
  if (to != 0 && to != static_cast<std::int64_t>(edit.input_type(1).elem))
    edit.cannot("before version 23 the output has the type of x_scale");
  edit.remove_attr("output_dtype");
}

}  // namespace
}  // namespace dequantize_adapt_cc

void dequantize_steps(StepTable& table) {
  table.add(DequantizeLinear, 10, 13, require_one_scale, drop_scale_axis);
  table.add(DequantizeLinear, 13, 19, unchanged, require_float_scale);
  table.add(DequantizeLinear, 19, 21, unchanged, drop_blocks);
  table.add(DequantizeLinear, 21, 23, unchanged, drop_output_dtype);
  table.keeps(DequantizeLinear, 10, "the scale's shape is not known; since 13 a list runs along an axis");
}

}  // namespace norn::ops
