#include <cmath>

#include "ops/common/loops.h"
#include "ops/math/unary_trig/unary_trig.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace unary_trig_ref_cc {
namespace {

using opset::ReferenceContext;

void sin_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::sin(x); }});
}
void cos_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::cos(x); }});
}
void tan_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::tan(x); }});
}
void asin_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::asin(x); }});
}
void acos_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::acos(x); }});
}
void atan_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::atan(x); }});
}
void sinh_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::sinh(x); }});
}
void cosh_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::cosh(x); }});
}
void asinh_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::asinh(x); }});
}
void acosh_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::acosh(x); }});
}
void atanh_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::atanh(x); }});
}

}  // namespace
}  // namespace unary_trig_ref_cc

void unary_trig_references(opset::ReferenceTable& table) {
  table.add(Sin, sin_ref);
  table.add(Cos, cos_ref);
  table.add(Tan, tan_ref);
  table.add(Asin, asin_ref);
  table.add(Acos, acos_ref);
  table.add(Atan, atan_ref);
  table.add(Sinh, sinh_ref);
  table.add(Cosh, cosh_ref);
  table.add(Asinh, asinh_ref);
  table.add(Acosh, acosh_ref);
  table.add(Atanh, atanh_ref);
}

}  // namespace norn::ops
