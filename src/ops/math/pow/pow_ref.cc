// Floating bases are raised in double and rounded once. An integer to an integer is exact and wraps around; a negative
// exponent gives what the fraction is cut to. An integer to a fraction goes through double.
#include <cmath>

#include "ops/common/loops.h"
#include "ops/math/pow/pow.h"

namespace norn::ops {
inline namespace pow_ref_cc {
namespace {

using opset::ReferenceContext;

std::int64_t power(std::int64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (auto b = static_cast<std::uint64_t>(base); exponent != 0; exponent >>= 1, b *= b)
    if (exponent & 1u) result *= b;
  return static_cast<std::int64_t>(result);
}

template <class E>
std::int64_t integer_power(ReferenceContext& ctx, std::int64_t base, E exponent) {
  if constexpr (std::is_same_v<E, double>) {
    const double value = std::trunc(std::pow(static_cast<double>(base), exponent));
    if (!(value >= -0x1p63 && value < 0x1p63)) ctx.fail("a power does not fit the integer type");
    return static_cast<std::int64_t>(value);
  } else {
    if (std::is_signed_v<E> && exponent < E{0}) {
      if (base == 0) ctx.fail("0 to a negative power");
      return base == 1 ? 1 : base == -1 ? (exponent % 2 == E{0} ? 1 : -1) : 0;
    }
    return power(base, static_cast<std::uint64_t>(exponent));
  }
}

void pow_ref(ReferenceContext& ctx) {
  const DataType type = ctx.input(0).dtype();
  visit_real(domain_of(ctx.input(1).dtype()), [&]<class E>(E) {
    if (domain_of(type) == Domain::F64)
      map_pairs<double, E, double>(ctx, type, [](double x, E y) { return std::pow(x, static_cast<double>(y)); });
    else
      map_pairs<std::int64_t, E, std::int64_t>(ctx, type,
                                               [&](std::int64_t x, E y) { return integer_power<E>(ctx, x, y); });
  });
}

}  // namespace
}  // namespace pow_ref_cc

void pow_references(opset::ReferenceTable& table) { table.add(Pow, pow_ref); }

}  // namespace norn::ops
