// Each number is start + i * delta, computed once in the widest type of its kind: what is rounded is the number, not a
// sum of rounded steps. Version 27's stash_type names float for the narrow types, whose numbers double holds as well.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "ops/common/elements.h"
#include "ops/generator/range/range.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace range_ref_cc {
namespace {

using opset::ReferenceContext;

std::int64_t count_of(ReferenceContext& ctx, double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  if (std::isnan(count) || count > 0x1p62) ctx.fail("the range is not finite");
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}
std::int64_t count_of(ReferenceContext& ctx, std::int64_t start, std::int64_t limit, std::int64_t delta) {
  return range_count(ctx, start, limit, delta).constant();
}

double number_at(double start, std::int64_t i, double delta) { return start + static_cast<double>(i) * delta; }
// The number fits where the step that leads to it need not.
std::int64_t number_at(std::int64_t start, std::int64_t i, std::int64_t delta) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                   static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(delta));
}

template <class D>
void range(ReferenceContext& ctx) {
  check_range(ctx);
  const auto number = [&](int i) { return load_all<D>(ctx.input(i))[0]; };
  const D start = number(0), limit = number(1), delta = number(2);
  const std::int64_t count = count_of(ctx, start, limit, delta);
  Tensor& out = ctx.output(0, ctx.input(0).dtype(), {count});
  // The usual types are written where they are.
  if constexpr (std::is_same_v<D, std::int64_t>) {
    if (out.dtype() == DataType::Int64) {
      std::int64_t* const to = out.as_mutable<std::int64_t>();
      const auto step = static_cast<std::uint64_t>(delta);
      auto next = static_cast<std::uint64_t>(start);
      using Four [[gnu::vector_size(32)]] = std::uint64_t;
      std::int64_t i = 0;
      for (; i + 4 <= count; i += 4, next += 4 * step) {
        const Four four = {next, next + step, next + 2 * step, next + 3 * step};
        std::memcpy(to + i, &four, sizeof four);
      }
      for (; i < count; ++i, next += step) to[i] = static_cast<std::int64_t>(next);
      return;
    }
    if (out.dtype() == DataType::Int32) {  // the low bits of the numbers
      std::int32_t* const to = out.as_mutable<std::int32_t>();
      auto next = static_cast<std::uint32_t>(start);
      for (std::int64_t i = 0; i < count; ++i, next += static_cast<std::uint32_t>(delta))
        to[i] = static_cast<std::int32_t>(next);
      return;
    }
  } else if (out.dtype() == DataType::Float) {
    float* const to = out.as_mutable<float>();
    for (std::int64_t first = 0; first < count; first += 512) {
      const int n = static_cast<int>(std::min<std::int64_t>(512, count - first));
      const double before = static_cast<double>(first);
      for (int i = 0; i < n; ++i) to[first + i] = static_cast<float>(start + (before + i) * delta);
    }
    return;
  }
  constexpr std::int64_t kChunk = 512;
  std::array<D, kChunk> values;
  for (std::int64_t first = 0; first < count; first += kChunk) {
    const std::int64_t n = std::min(kChunk, count - first);
    if constexpr (std::is_same_v<D, double>) {
      for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = number_at(start, first + i, delta);
    } else if (first == 0) {
      for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = number_at(start, i, delta);
    } else {  // sums of integers are exact in any order
      const D step = number_at(D{0}, kChunk, delta);
      for (D& v : values) v = plus(v, step);
    }
    store<D>(out, first, n, values.data());
  }
}

void range_ref(ReferenceContext& ctx) {
  if (domain_of(ctx.input(0).dtype()) == Domain::F64) return range<double>(ctx);
  range<std::int64_t>(ctx);
}

}  // namespace
}  // namespace range_ref_cc

void range_references(opset::ReferenceTable& table) { table.add(Range, range_ref); }

}  // namespace norn::ops
