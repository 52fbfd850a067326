#include <functional>

#include "ops/common/loops.h"
#include "ops/logical/compare/compare.h"

namespace norn::ops {
inline namespace compare_ref_cc {
namespace {

using opset::ReferenceContext;

template <class Holds>
void compare(ReferenceContext& ctx, Holds holds) {
  const DataType type = ctx.input(0).dtype();
  if (domain_of(type) == Domain::Complex) ctx.fail("complex numbers have no order");
  visit_domain(domain_of(type), [&]<class D>(const D&) {
    if constexpr (!std::is_same_v<D, std::complex<double>>)
      map_pairs<D, D, std::uint64_t>(ctx, DataType::Bool,
                                     [&](const D& a, const D& b) { return std::uint64_t{holds(a, b)}; });
  });
}

void equal_ref(ReferenceContext& ctx) {
  if (ctx.input(0).dtype() != DataType::Bool) return compare(ctx, std::equal_to<>());
  // As bytes that nothing may have looked through: any but 0 is true.
  map_pairs<std::uint64_t, std::uint64_t, std::uint64_t>(
      ctx, DataType::Bool, [](std::uint64_t a, std::uint64_t b) { return std::uint64_t{(a != 0) == (b != 0)}; });
}
void greater_ref(ReferenceContext& ctx) { compare(ctx, std::greater<>()); }
void less_ref(ReferenceContext& ctx) { compare(ctx, std::less<>()); }
void greater_or_equal_ref(ReferenceContext& ctx) { compare(ctx, std::greater_equal<>()); }
void less_or_equal_ref(ReferenceContext& ctx) { compare(ctx, std::less_equal<>()); }

}  // namespace
}  // namespace compare_ref_cc

void compare_references(opset::ReferenceTable& table) {
  table.add(Equal, equal_ref);
  table.add(Greater, greater_ref);
  table.add(Less, less_ref);
  table.add(GreaterOrEqual, greater_or_equal_ref);
  table.add(LessOrEqual, less_or_equal_ref);
}

}  // namespace norn::ops
