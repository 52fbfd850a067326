// The unary element-wise operators.
//
// Every floating type is computed in double and rounded once. NaN goes through all of them, through Relu too: it is
// max(0, x) with NumPy's maximum. Integers wrap: Abs and Neg of the least value give that value.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/common/loops.h"
#include "ops/math/unary_math/unary_math.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace unary_math_ref_cc {
namespace {

using opset::ReferenceContext;

std::int64_t negated(std::int64_t x) { return minus<std::int64_t>(0, x); }

void relu_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return x > 0 || std::isnan(x) ? x : 0.0; },
                     .i64 = [](std::int64_t x) { return std::max<std::int64_t>(x, 0); }});
}
void abs_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::fabs(x); },
                     .i64 = [](std::int64_t x) { return x < 0 ? negated(x) : x; },
                     .u64 = [](std::uint64_t x) { return x; }});
}
void neg_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return -x; }, .i64 = negated});
}
void exp_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::exp(x); }});
}
void sqrt_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::sqrt(x); }});
}
// For integers (version 9) the value in single precision, less its fraction: erf reaches 1 there at 4.
void erf_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::erf(x); },
                     .i64 = [](std::int64_t x) { return std::int64_t{x >= 4} - std::int64_t{x <= -4}; },
                     .u64 = [](std::uint64_t x) { return std::uint64_t{x >= 4}; }});
}
void sigmoid_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) {
                 const double e = std::exp(-std::fabs(x));
                 return (x < 0 ? e : 1.0) / (1.0 + e);
               }});
}
void tanh_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::tanh(x); }});
}
void softsign_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return x / (1.0 + std::fabs(x)); }});
}

}  // namespace
}  // namespace unary_math_ref_cc

void unary_math_references(opset::ReferenceTable& table) {
  table.add(Relu, relu_ref);
  table.add(Abs, abs_ref);
  table.add(Neg, neg_ref);
  table.add(Exp, exp_ref);
  table.add(Sqrt, sqrt_ref);
  table.add(Erf, erf_ref);
  table.add(Sigmoid, sigmoid_ref);
  table.add(Tanh, tanh_ref);
  table.add(Softsign, softsign_ref);
}

}  // namespace norn::ops
