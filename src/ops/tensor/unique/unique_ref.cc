// Slices along the axis (or elements, slices of a flattened tensor) are sorted, so that equal ones lie together; the
// first of them in the input stands for all. Strings are compared by bytes, complex numbers by their real parts first.
// NaN equals NaN and is greater than every number, zeros of both signs are equal.
#include "ops/tensor/unique/unique.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace unique_ref_cc {
namespace {

// Below, above or equal to 0, as a is to b.
template <class D>
int order(const D& a, const D& b) {
  if (a < b) return -1;
  if (b < a) return 1;
  return 0;
}
template <>
int order(const double& a, const double& b) {
  if (a != a || b != b) return (a != a) - (b != b);
  return a < b ? -1 : a > b;
}
template <>
int order(const std::complex<double>& a, const std::complex<double>& b) {
  const int by_real = order(a.real(), b.real());
  return by_real ? by_real : order(a.imag(), b.imag());
}

// The groups of equal slices in ascending order: positions of the slices, ascending in each group.
struct Groups {
  std::vector<std::int64_t> slices;
  std::vector<std::size_t> first;  // where each begins
};

// An integer that orders as the element does: every NaN is one, and so are both zeros.
std::uint64_t key_of(double x) {
  if (x != x) return ~std::uint64_t{0};
  const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}
std::uint64_t key_of(std::int64_t x) { return static_cast<std::uint64_t>(x) ^ std::uint64_t{1} << 63; }
std::uint64_t key_of(std::uint64_t x) { return x; }

struct Entry {
  std::uint64_t key;
  std::int64_t at;
};
// By keys; equal ones stay in order. By one byte after the other, the least first, but for bytes that are all the same.
void sort_by_key(std::vector<Entry>& entries) {
  std::array<std::array<std::size_t, 256>, 8> counts{};
  for (const Entry& e : entries)
    for (std::size_t b = 0; b < 8; ++b) ++counts[b][e.key >> 8 * b & 0xff];
  std::vector<Entry> other(entries.size());
  for (std::size_t b = 0; b < 8 && !entries.empty(); ++b) {
    if (counts[b][entries[0].key >> 8 * b & 0xff] == entries.size()) continue;
    std::array<std::size_t, 256> place{};
    std::exclusive_scan(counts[b].begin(), counts[b].end(), place.begin(), std::size_t{0});
    for (const Entry& e : entries) other[place[e.key >> 8 * b & 0xff]++] = e;
    std::swap(entries, other);
  }
}

// Integers that lie near to each other are counted, if there are some.
template <class D>
bool group_by_counts(const std::vector<D>& values, Groups& g) {
  if (values.empty()) return false;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto base = static_cast<std::uint64_t>(*least);
  const std::uint64_t range = static_cast<std::uint64_t>(*most) - base;
  if (range >= std::max<std::uint64_t>(1024, 2 * values.size())) return false;
  std::vector<std::size_t> next(static_cast<std::size_t>(range) + 1);  // how many, then where the next one goes
  for (const D value : values) ++next[static_cast<std::uint64_t>(value) - base];
  std::size_t at = 0;
  for (std::size_t& count : next) {
    if (count > 0) g.first.push_back(at);
    at += std::exchange(count, at);
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    g.slices[next[static_cast<std::uint64_t>(values[k]) - base]++] = static_cast<std::int64_t>(k);
  return true;
}

// Numbers as integers, if all of them are some: looked at some hundred at a time, without a branch among these.
std::optional<std::vector<std::int64_t>> as_integers(const std::vector<double>& values) {
  constexpr std::size_t kRun = 256;
  std::vector<std::int64_t> integers(values.size());
  for (std::size_t at = 0; at < values.size(); at += kRun) {
    bool whole = true;
    for (std::size_t i = at; i < std::min(at + kRun, values.size()); ++i) {
      const bool near = std::fabs(values[i]) < 0x1p53;
      integers[i] = static_cast<std::int64_t>(near ? values[i] : 0.0);
      whole &= near & (static_cast<double>(integers[i]) == values[i]);
    }
    if (!whole) return std::nullopt;
  }
  return integers;
}

template <class D>
Groups group(const Tensor& x, const AxisView& view) {
  const std::vector<D> values = load_all<D>(x);
  const std::int64_t outer = values.empty() ? 0 : view.outer;
  const auto compare = [&](std::int64_t a, std::int64_t b) {
    for (std::int64_t o = 0; o < outer; ++o) {
      const D* row = values.data() + o * view.n * view.inner;
      for (std::int64_t i = 0; i < view.inner; ++i) {
        if (const int differ = order(row[a * view.inner + i], row[b * view.inner + i])) return differ;
      }
    }
    return 0;
  };
  Groups g;
  g.slices.resize(static_cast<std::size_t>(view.n));
  if constexpr (std::is_arithmetic_v<D>) {
    if constexpr (std::is_integral_v<D>)
      if (outer == 1 && view.inner == 1 && group_by_counts(values, g)) return g;
    if constexpr (std::is_same_v<D, double>)
      if (outer == 1 && view.inner == 1)
        if (const auto integers = as_integers(values); integers && group_by_counts(*integers, g)) return g;
    if (outer == 1 && view.inner == 1) {  // single elements are sorted with their positions beside them
      std::vector<Entry> entries;
      entries.reserve(values.size());
      for (const D& value : values) entries.push_back({key_of(value), static_cast<std::int64_t>(entries.size())});
      sort_by_key(entries);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        g.slices[k] = entries[k].at;
        if (k == 0 || entries[k - 1].key != entries[k].key) g.first.push_back(k);
      }
      return g;
    }
  }
  std::iota(g.slices.begin(), g.slices.end(), std::int64_t{0});
  std::stable_sort(g.slices.begin(), g.slices.end(), [&](std::int64_t a, std::int64_t b) { return compare(a, b) < 0; });
  for (std::size_t k = 0; k < g.slices.size(); ++k) {
    if (k == 0 || compare(g.slices[k - 1], g.slices[k]) != 0) g.first.push_back(k);
  }
  return g;
}

void unique_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const UniqueParams p = resolve_unique(ctx);
  Shape dims = p.flattened ? Shape{x.size()} : x.dims();
  const AxisView view = view_along(dims, p.axis);
  const Groups g = visit_domain(domain_of(x.dtype()), [&]<class D>(const D&) { return group<D>(x, view); });

  // The groups in the order of the output.
  std::vector<std::size_t> shown(g.first.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  const auto first_slice = [&](std::size_t which) { return g.slices[g.first[which]]; };
  if (!p.sorted) {
    std::sort(shown.begin(), shown.end(),
              [&](std::size_t a, std::size_t b) { return first_slice(a) < first_slice(b); });
  }
  const auto kept = static_cast<std::int64_t>(shown.size());
  if (ctx.wants_output(0)) {
    dims[static_cast<std::size_t>(p.axis)] = kept;
    Tensor& y = ctx.output(0, x.dtype(), dims);
    std::vector<std::int64_t> picked;
    for (const std::size_t which : shown) picked.push_back(first_slice(which));
    for (std::int64_t o = 0, to = 0; to < y.size(); ++o, to += kept * view.inner)
      copy_picked(y, to, x, o * view.n * view.inner, picked, view.inner);
  }
  const auto numbers = [&](int output, std::int64_t size) {
    return ctx.wants_output(output) ? ctx.output(output, DataType::Int64, {size}).as_mutable<std::int64_t>() : nullptr;
  };
  std::int64_t *indices = numbers(1, kept), *inverse = numbers(2, view.n), *counts = numbers(3, kept);
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const std::size_t from = g.first[shown[k]];
    const std::size_t to = shown[k] + 1 < g.first.size() ? g.first[shown[k] + 1] : g.slices.size();
    if (indices) indices[k] = g.slices[from];
    if (counts) counts[k] = static_cast<std::int64_t>(to - from);
    for (std::size_t i = from; inverse && i < to; ++i) inverse[g.slices[i]] = static_cast<std::int64_t>(k);
  }
}

}  // namespace
}  // namespace unique_ref_cc

void unique_references(opset::ReferenceTable& table) { table.add(Unique, unique_ref); }

}  // namespace norn::ops
