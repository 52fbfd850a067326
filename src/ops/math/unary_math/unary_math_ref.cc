// The unary element-wise operators, one loop for all.
//
// Every floating type is computed in double and rounded once. NaN goes through all of them, through Relu too: it is
// max(0, x) with NumPy's maximum. Integers wrap: Abs and Neg of the least value give that value.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "ops/common/elements.h"
#include "ops/math/unary_math/unary_math.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

using opset::ReferenceContext;

struct Functions {
  double (*real)(double);
  std::int64_t (*integer)(std::int64_t) = nullptr;
  std::uint64_t (*natural)(std::uint64_t) = nullptr;
};

template <class D>
void map(ReferenceContext& ctx, D (*f)(D)) {
  const Tensor& x = ctx.input(0);
  if (!f) ctx.fail("the element type " + std::string(data_type_name(x.dtype())) + " is not one of this operator's");
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  std::array<D, 512> chunk;
  for (std::int64_t first = 0; first < x.size(); first += 512) {
    const std::int64_t n = std::min<std::int64_t>(512, x.size() - first);
    load<D>(x, first, n, chunk.data());
    std::transform(chunk.begin(), chunk.begin() + n, chunk.begin(), f);
    store<D>(y, first, n, chunk.data());
  }
}

void run(ReferenceContext& ctx, const Functions& f) {
  switch (domain_of(ctx.input(0).dtype())) {
    case Domain::F64: return map(ctx, f.real);
    case Domain::I64: return map(ctx, f.integer);
    case Domain::U64: return map(ctx, f.natural);
    default: ctx.fail("a numeric tensor is required");
  }
}

std::int64_t negated(std::int64_t x) { return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)); }

void relu_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return x > 0 || std::isnan(x) ? x : 0.0; },
            .integer = [](std::int64_t x) { return std::max<std::int64_t>(x, 0); }});
}
void abs_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return std::fabs(x); },
            .integer = [](std::int64_t x) { return x < 0 ? negated(x) : x; },
            .natural = [](std::uint64_t x) { return x; }});
}
void neg_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return -x; }, .integer = negated});
}
void exp_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return std::exp(x); }});
}
void sqrt_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return std::sqrt(x); }});
}
// For integers (version 9) the value in single precision, less its fraction: erf reaches 1 there at 4.
void erf_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return std::erf(x); },
            .integer = [](std::int64_t x) { return std::int64_t{x >= 4} - std::int64_t{x <= -4}; },
            .natural = [](std::uint64_t x) { return std::uint64_t{x >= 4}; }});
}
void sigmoid_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) {
        const double e = std::exp(-std::fabs(x));
        return (x < 0 ? e : 1.0) / (1.0 + e);
      }});
}
void tanh_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return std::tanh(x); }});
}
void softsign_ref(ReferenceContext& ctx) {
  run(ctx, {.real = [](double x) { return x / (1.0 + std::fabs(x)); }});
}

}  // namespace

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
