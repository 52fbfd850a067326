// NonZero: NaN is not zero, minus zero is; a string is zero if it is empty.
#include <type_traits>
#include <vector>

#include "ops/common/elements.h"
#include "ops/tensor/nonzero/nonzero.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

std::vector<std::int64_t> places(const Tensor& in) {
  std::vector<std::int64_t> found;
  visit_domain(domain_of(in.dtype()), [&](const auto& zero) {
    using D = std::remove_cvref_t<decltype(zero)>;
    D value{};
    for (std::int64_t i = 0; i < in.size(); ++i) {
      load(in, i, 1, &value);
      if (value != zero) found.push_back(i);
    }
  });
  return found;
}

void nonzero_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const auto found = places(in);
  const auto n = static_cast<std::int64_t>(found.size());
  Tensor& out = ctx.output(0, DataType::Int64, {in.rank(), n});
  auto* rows = out.as_mutable<std::int64_t>();
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::int64_t rest = found[k];
    for (std::size_t d = in.dims().size(); d-- > 0; rest /= in.dims()[d]) {
      rows[d * found.size() + k] = rest % in.dims()[d];
    }
  }
}

}  // namespace

void nonzero_references(opset::ReferenceTable& table) { table.add(NonZero, nonzero_ref); }

}  // namespace norn::ops
