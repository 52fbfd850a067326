// Clip is Min(max, Max(input, min)), in that order: where min > max the result is max. NaN stays NaN, and a NaN bound
// makes everything NaN. A bound that is left out does not bound, so infinities pass.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>

#include "ops/common/elements.h"
#include "ops/math/clip/clip.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace clip_ref_cc {
namespace {

template <class D>
std::optional<D> number_of(const ClipBound& bound) {
  if (!bound.given) return {};
  return load_all<D>(bound.number)[0];
}

template <class D>
bool is_nan(D x) {
  if constexpr (std::is_same_v<D, double>)
    return std::isnan(x);
  else
    return false;
}

void clip_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const ClipParams p = resolve_clip(ctx);
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  visit_real(domain_of(x.dtype()), [&]<class D>(D) {
    const std::optional<D> low = number_of<D>(p.low), high = number_of<D>(p.high);
    std::array<D, 512> chunk;
    for (std::int64_t first = 0; first < x.size(); first += 512) {
      const std::int64_t n = std::min<std::int64_t>(512, x.size() - first);
      load<D>(x, first, n, chunk.data());
      for (std::int64_t i = 0; i < n; ++i) {
        D& v = chunk[static_cast<std::size_t>(i)];
        if (low && !is_nan(v) && !(v > *low)) v = *low;
        if (high && !is_nan(v) && !(v < *high)) v = *high;
      }
      store<D>(y, first, n, chunk.data());
    }
  });
}

}  // namespace
}  // namespace clip_ref_cc

void clip_references(opset::ReferenceTable& table) { table.add(Clip, clip_ref); }

}  // namespace norn::ops
