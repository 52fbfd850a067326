// Floating numbers to narrow integers or floats, by scale and zero point.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator QuantizeLinear;

struct QuantizeParams {
  DataType to = DataType::Undefined;  // Undefined: the type of a zero point that is not known
  // What x and y_scale are rounded to before they are divided, and the quotient behind. Undefined: the exact quotient,
  // which a scale of int32 or of a power of two (float8e8m0) asks for.
  DataType division = DataType::Undefined;
  bool saturate = true;
};
// For a scale and a zero point of these types, Undefined where they are not known; `zero_point_given` is whether there
// is one.
QuantizeParams resolve_quantize(const opset::NodeView& node, DataType scale, bool zero_point_given,
                                DataType zero_point);

// Which scale (and zero point) the elements of a quantized tensor have: one for all, one for each index along an axis,
// or one for each block of an axis, at each index of the other axes.
struct ScaleLayout {
  AxisView view;  // around the axis
  std::int64_t block = 1;
  std::int64_t outer_step = 0, step = 0, inner_step = 0;  // of the scale; `step` from block to block

  // Calls f(element, scale) for every element in row-major order.
  template <class F>
  void for_each(F&& f) const {
    if (view.n == 0 || view.inner == 0) return;  // however long `outer` is
    std::int64_t element = 0;
    for (std::int64_t o = 0; o < view.outer; ++o) {
      for (std::int64_t k = 0; k < view.n; ++k) {
        const std::int64_t first = o * outer_step + k / block * step;
        for (std::int64_t i = 0; i < view.inner; ++i) f(element++, first + i * inner_step);
      }
    }
  }
};
// The axis of a tensor of this rank along which scales differ, and how many of its elements share a scale where scales
// are per block; 0 where they are not.
std::int64_t resolve_scale_axis(const opset::NodeView& node, std::int64_t rank);
std::int64_t resolve_scale_block(const opset::NodeView& node);
// By the attributes axis and block_size, where the version has them. Throws if the scale does not fit x.
ScaleLayout resolve_scales(const opset::NodeView& node, const norn::Shape& x, const norn::Shape& scale);
// A zero point has the scale's shape; of single numbers one may be a scalar and the other a list.
void require_shape_of_scale(const opset::NodeView& node, int scale, int zero_point);
// Both functions, by what is known of inputs 0 to 2: x, scale and zero point.
void infer_scales(opset::InferContext& ctx);

}  // namespace norn::ops
