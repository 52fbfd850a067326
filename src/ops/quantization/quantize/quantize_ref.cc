// y = saturate(round(x / y_scale) + y_zero_point), with the quotient in the precision that the node asks for. All of
// these precisions are narrow enough that a quotient in double, rounded to them, is rounded as if once.
#include <algorithm>
#include <cmath>

#include "ops/common/elements.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/quantization/quantize/quantize_elements.h"
#include "ops/tensor/cast/cast_elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace quantize_ref_cc {
namespace {

bool is_integer(DataType type) { return domain_of(type) != Domain::F64; }

void quantize_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &scale = ctx.input(1);
  const bool moved = ctx.has_input(2);
  const QuantizeParams p =
      resolve_quantize(ctx, scale.dtype(), moved, moved ? ctx.input(2).dtype() : DataType::Undefined);
  const ScaleLayout layout = resolve_scales(ctx, x.dims(), scale.dims());
  const auto rounded = [&](double v) { return p.division == DataType::Undefined ? v : round_to(p.division, v); };
  std::vector<double> values = load_numbers(x), scales = load_numbers(scale), zero_points(scales.size());
  if (moved) {
    require_shape_of_scale(ctx, 1, 2);
    zero_points = load_numbers(ctx.input(2));
  }
  std::transform(scales.begin(), scales.end(), scales.begin(), rounded);
  layout.for_each([&](std::int64_t element, std::int64_t at) {
    double& v = values[static_cast<std::size_t>(element)];
    const auto s = static_cast<std::size_t>(at);
    v = with_zero_point(p.to, rounded(rounded(v) / scales[s]), zero_points[s]);
  });
  store_quantized(ctx.output(0, p.to, x.dims()), values, p.saturate);
}

}  // namespace
}  // namespace quantize_ref_cc

double with_zero_point(DataType to, double quotient, double zero_point) {
  const double v = is_integer(to) ? std::nearbyint(quotient) : quotient;
  return zero_point == 0 ? v : v + zero_point;  // a negative zero stays one
}

void store_quantized(Tensor& y, const std::vector<double>& values, bool saturate) {
  if (!is_integer(y.dtype())) {
    Tensor exact(DataType::Double, y.dims());
    store_all<double>(exact, values);
    return cast_elements(exact, y, saturate);
  }
  const bool has_sign = domain_of(y.dtype()) == Domain::I64;
  const double top = std::ldexp(1.0, storage_bits(y.dtype()) - has_sign);  // one above the highest value
  const double lowest = has_sign ? -top : 0, highest = top - 1;
  const auto clamp = [&](double v) { return std::isnan(v) ? lowest : std::clamp(v, lowest, highest); };
  visit_real(domain_of(y.dtype()), [&]<class D>(D) {
    std::vector<D> whole(values.size());
    std::transform(values.begin(), values.end(), whole.begin(), [&](double v) { return static_cast<D>(clamp(v)); });
    store_all<D>(y, whole);
  });
}

void quantize_references(opset::ReferenceTable& table) { table.add(QuantizeLinear, quantize_ref); }

}  // namespace norn::ops
