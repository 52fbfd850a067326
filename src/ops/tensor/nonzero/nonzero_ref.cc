// NonZero: NaN is not zero, minus zero is; a string is zero if it is empty.
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "ops/common/elements.h"
#include "ops/tensor/nonzero/nonzero.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace nonzero_ref_cc {
namespace {

constexpr std::int64_t kChunk = 512;

// Adds the places of what is not zero among n elements, of which the first has this place.
template <class T, class IsZero>
void add_places(const T* from, std::int64_t first, std::int64_t n, std::vector<std::int64_t>& found, IsZero&& is_zero) {
  // Written in any case, and kept if it is not zero: a branch would be mispredicted.
  std::size_t count = found.size();
  found.resize(count + static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    found[count] = first + i;
    count += is_zero(from[i]) ? 0 : 1;
  }
  found.resize(count);
}

std::vector<std::int64_t> places(const Tensor& in) {
  std::vector<std::int64_t> found;
  if (in.dtype() == DataType::Float16 || in.dtype() == DataType::BFloat16) {  // all bits but the sign
    const auto* bits = in.as<std::uint16_t>();
    for (std::int64_t first = 0; first < in.size(); first += kChunk)
      add_places(bits + first, first, std::min(kChunk, in.size() - first), found,
                 [](std::uint16_t v) { return (v & 0x7fff) == 0; });
    return found;
  }
  visit_domain(domain_of(in.dtype()), [&](const auto& zero) {
    using D = std::remove_cvref_t<decltype(zero)>;
    std::array<D, kChunk> chunk;
    for (std::int64_t first = 0; first < in.size(); first += kChunk) {
      const std::int64_t n = std::min(kChunk, in.size() - first);
      load(in, first, n, chunk.data());
      add_places(chunk.data(), first, n, found, [&](const D& v) { return v == zero; });
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
  if (found.empty() || in.rank() == 0) return;
  // Positions ascend: what does not change from one to the next along the last axis is not divided again.
  const std::int64_t length = in.dims().back();
  std::vector<std::int64_t> outer(in.dims().size() - 1, 0);
  std::int64_t line = 0;  // the first position of the line that `outer` is of
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] >= line + length) {
      std::int64_t rest = found[k] / length;
      line = rest * length;
      for (std::size_t d = outer.size(); d-- > 0; rest /= in.dims()[d]) outer[d] = rest % in.dims()[d];
    }
    for (std::size_t d = 0; d < outer.size(); ++d) rows[d * found.size() + k] = outer[d];
    rows[outer.size() * found.size() + k] = found[k] - line;
  }
}

}  // namespace
}  // namespace nonzero_ref_cc

void nonzero_references(opset::ReferenceTable& table) { table.add(NonZero, nonzero_ref); }

}  // namespace norn::ops
