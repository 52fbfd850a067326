// Activation functions in closed form, computed in double and rounded once; Shrink of integers is cut.
#include <cmath>
#include <string>

#include "ops/common/elements.h"
#include "ops/common/loops.h"
#include "ops/math/activation/activation.h"
#include "ops/tensor/cast/cast_elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace activation_ref_cc {
namespace {

using opset::ReferenceContext;

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

void celu_ref(ReferenceContext& ctx) {
  const double a = resolve_activation(ctx.attrs()).alpha;
  map_elements_in<double>(ctx, [a](double x) { return x < 0 ? a * std::expm1(x / a) : x; });
}
void elu_ref(ReferenceContext& ctx) {
  const double a = resolve_activation(ctx.attrs()).alpha;
  map_elements_in<double>(ctx, [a](double x) { return x < 0 ? a * std::expm1(x) : x; });
}
void gelu_ref(ReferenceContext& ctx) {
  if (resolve_activation(ctx.attrs()).by_tanh)
    map_elements_in<double>(ctx, [](double x) {
      return 0.5 * x * (1.0 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));  // sqrt(2 / pi)
    });
  else
    map_elements_in<double>(ctx, [](double x) { return 0.5 * x * (1.0 + std::erf(x * 0.7071067811865476)); });
}
void hard_sigmoid_ref(ReferenceContext& ctx) {
  const ActivationParams p = resolve_activation(ctx.attrs());
  const double a = p.alpha, b = p.beta;
  map_elements_in<double>(ctx, [a, b](double x) {
    const double y = a * x + b;
    return y < 0 ? 0.0 : y > 1 ? 1.0 : y;
  });
}
void hard_swish_ref(ReferenceContext& ctx) {
  map_elements_in<double>(ctx, [](double x) {
    const double gate = x * double{1.0f / 6} + 0.5;  // HardSigmoid's alpha is f32
    return x * (gate < 0 ? 0.0 : gate > 1 ? 1.0 : gate);
  });
}
void leaky_relu_ref(ReferenceContext& ctx) {
  const double a = resolve_activation(ctx.attrs()).alpha;
  map_elements_in<double>(ctx, [a](double x) { return x < 0 ? a * x : x; });
}
void mish_ref(ReferenceContext& ctx) {
  map_elements_in<double>(ctx, [](double x) { return x * std::tanh(softplus(x)); });
}
void selu_ref(ReferenceContext& ctx) {
  const ActivationParams p = resolve_activation(ctx.attrs());
  const double a = p.alpha, g = p.beta;
  map_elements_in<double>(ctx, [a, g](double x) { return g * (x <= 0 ? a * std::expm1(x) : x); });
}
void shrink_ref(ReferenceContext& ctx) {
  const ActivationParams p = resolve_activation(ctx.attrs());
  const double most = p.alpha, bias = p.beta;
  const auto shrunk = [most, bias](double x) { return x < -most ? x + bias : x > most ? x - bias : 0.0; };
  const Tensor& x = ctx.input(0);
  if (domain_of(x.dtype()) == Domain::F64) return map_elements_in<double>(ctx, shrunk);
  Tensor wide(DataType::Double, x.dims());
  cast_elements(x, wide, true);
  std::vector<double> values = load_all<double>(wide);
  for (double& v : values) v = shrunk(v);
  store_all(wide, values);
  cast_elements(wide, ctx.output(0, x.dtype(), x.dims()), true);
}
void softplus_ref(ReferenceContext& ctx) { map_elements_in<double>(ctx, softplus); }
void swish_ref(ReferenceContext& ctx) {
  const double a = resolve_activation(ctx.attrs()).alpha;
  map_elements_in<double>(ctx, [a](double x) { return x * logistic(a * x); });
}
void thresholded_relu_ref(ReferenceContext& ctx) {
  const double a = resolve_activation(ctx.attrs()).alpha;
  map_elements_in<double>(ctx, [a](double x) { return x > a ? x : 0.0; });
}

}  // namespace
}  // namespace activation_ref_cc

void activation_references(opset::ReferenceTable& table) {
  table.add(Celu, celu_ref);
  table.add(Elu, elu_ref);
  table.add(Gelu, gelu_ref);
  table.add(HardSigmoid, hard_sigmoid_ref);
  table.add(HardSwish, hard_swish_ref);
  table.add(LeakyRelu, leaky_relu_ref);
  table.add(Mish, mish_ref);
  table.add(Selu, selu_ref);
  table.add(Shrink, shrink_ref);
  table.add(Softplus, softplus_ref);
  table.add(Swish, swish_ref);
  table.add(ThresholdedRelu, thresholded_relu_ref);
}

}  // namespace norn::ops
