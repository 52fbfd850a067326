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

using opset::ReferenceContext;

template <class D>
std::optional<D> bound(ReferenceContext& ctx, int input, const char* name) {
  if (ctx.version() < 11) {
    if (!ctx.attrs().has(name)) return {};
    return static_cast<D>(ctx.attrs().f(name));
  }
  if (!ctx.has_input(input)) return {};
  const Tensor& t = ctx.input(input);
  if (t.dtype() != ctx.input(0).dtype()) {
    ctx.fail(std::string(name) + " is of type " + std::string(data_type_name(t.dtype())) +
             ", but the input is of type " + std::string(data_type_name(ctx.input(0).dtype())));
  }
  if (t.size() != 1) ctx.fail(std::string(name) + " must be a scalar, but has the shape " + to_string(t.dims()));
  D value;
  load<D>(t, 0, 1, &value);
  return value;
}

template <class D>
bool is_nan(D x) {
  if constexpr (std::is_same_v<D, double>)
    return std::isnan(x);
  else
    return false;
}

void clip_ref(ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  visit_real(domain_of(x.dtype()), [&]<class D>(D) {
    const std::optional<D> low = bound<D>(ctx, 1, "min"), high = bound<D>(ctx, 2, "max");
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
