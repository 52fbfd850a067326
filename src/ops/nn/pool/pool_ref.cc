// Pooling: the maximum or the average of the elements in each position of the window, plane by plane.
//
// The standard leaves a window without any input element open (padding as wide as the kernel): its maximum is the
// type's lowest value with index -1, its average without the padding is NaN. NaN wins a maximum, as in NumPy; of equal
// elements the first in row-major order is the maximum.
#include <limits>

#include "ops/common/loops.h"
#include "ops/nn/pool/pool.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace pool_ref_cc {
namespace {

template <class D>
D lowest(DataType type) {
  if constexpr (std::is_same_v<D, double>) return -std::numeric_limits<double>::infinity();
  if constexpr (std::is_same_v<D, std::int64_t>) {
    return std::numeric_limits<std::int64_t>::min() >> (64 - 8 * element_size(type));
  }
  return D{};
}

// A plane's offset as column-major order of its dimensions counts it.
std::int64_t column_major(std::int64_t offset, const Shape& dims) {
  std::int64_t result = 0, rest = element_count(dims);
  for (std::size_t d = dims.size(); d-- > 0;) {
    rest /= dims[d];
    result += offset % dims[d] * rest;
    offset /= dims[d];
  }
  return result;
}

template <class D>
void max_pool(opset::ReferenceContext& ctx, const Planes& p) {
  const Tensor& x = ctx.input(0);
  const std::vector<D> values = load_all<D>(x);
  Tensor& y = ctx.output(0, x.dtype(), p.out);
  std::int64_t* indices =
      ctx.wants_output(1) ? ctx.output(1, DataType::Int64, p.out).as_mutable<std::int64_t>() : nullptr;
  std::vector<D> result(static_cast<std::size_t>(y.size()));
  for_each_window(p, [&](std::span<const WindowTaps::Tap> taps, std::int64_t, std::int64_t at) {
    for (std::int64_t c = 0; c < p.count; ++c) {
      const D* plane = values.data() + c * p.in_size;
      D best = lowest<D>(x.dtype());
      std::int64_t where = -1;
      for (const WindowTaps::Tap& tap : taps) {
        const D v = plane[tap.input];
        if (where >= 0 && (best >= v || best != best)) continue;
        best = v;
        where = tap.input;
      }
      result[static_cast<std::size_t>(c * p.out_size + at)] = best;
      if (!indices) continue;
      if (where >= 0) where = c * p.in_size + (p.params.column_major ? column_major(where, p.in) : where);
      indices[c * p.out_size + at] = where;
    }
  });
  store_all(y, result);
}

void max_pool_ref(opset::ReferenceContext& ctx) {
  const Planes p = planes_of(ctx);
  visit_real(domain_of(ctx.input(0).dtype()), [&]<class D>(D) { max_pool<D>(ctx, p); });
}

void average_pool_ref(opset::ReferenceContext& ctx) {
  const Planes p = planes_of(ctx);
  const Tensor& x = ctx.input(0);
  const std::vector<double> values = load_all<double>(x);
  Tensor& y = ctx.output(0, x.dtype(), p.out);
  std::vector<double> result(static_cast<std::size_t>(y.size()));
  for_each_window(p, [&](std::span<const WindowTaps::Tap> taps, std::int64_t padded, std::int64_t at) {
    const double count = p.params.count_include_pad ? static_cast<double>(padded) : static_cast<double>(taps.size());
    for (std::int64_t c = 0; c < p.count; ++c) {
      double sum = 0;
      for (const WindowTaps::Tap& tap : taps) sum += values[static_cast<std::size_t>(c * p.in_size + tap.input)];
      result[static_cast<std::size_t>(c * p.out_size + at)] = sum / count;
    }
  });
  store_all(y, result);
}

}  // namespace
}  // namespace pool_ref_cc

void pool_references(opset::ReferenceTable& table) {
  table.add(MaxPool, max_pool_ref);
  table.add(AveragePool, average_pool_ref);
}

}  // namespace norn::ops
