// Slices along the axis (or elements, slices of a flattened tensor) are sorted, so that equal ones lie together, or
// counted where they are numbers near to each other; the first of them in the input stands for all. Strings are
// compared by bytes, complex numbers by their real parts first. NaN equals NaN and is greater than every number, zeros
// of both signs are equal.
#include "ops/tensor/unique/unique.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// Groups of equal slices.
struct Groups {
  std::vector<std::int64_t> first, count;  // of each, the position of its first slice, and how many it has
  std::int64_t* of;                        // each slice's group, or null if nobody asks for it

  void begin(std::int64_t at) {
    first.push_back(at);
    count.push_back(0);
  }
  // Group k becomes what group shown[k] is.
  void arrange(const std::vector<std::int64_t>& shown, std::int64_t slices) {
    std::vector<std::int64_t> rank(shown.size());
    const Groups old = *this;
    for (std::size_t k = 0; k < shown.size(); ++k) {
      const auto from = static_cast<std::size_t>(shown[k]);
      first[k] = old.first[from];
      count[k] = old.count[from];
      rank[from] = static_cast<std::int64_t>(k);
    }
    for (std::int64_t at = 0; of && at < slices; ++at) of[at] = rank[static_cast<std::size_t>(of[at])];
  }
};

// Slices that are sorted, those of a group in their own order: slice(k) is the next one's position, and differs(k) says
// whether a group begins with it.
template <class Slice, class Differs>
void group_sorted(std::size_t slices, bool sorted, Groups& g, Slice&& slice, Differs&& differs) {
  for (std::size_t k = 0, begun = 0; k < slices; ++k) {
    if (k == 0 || differs(k)) {
      if (k > 0) g.count.back() = static_cast<std::int64_t>(k - begun);
      g.begin(slice(k));
      begun = k;
    }
    if (g.of) g.of[slice(k)] = std::ssize(g.first) - 1;
    if (k + 1 == slices) g.count.back() = static_cast<std::int64_t>(slices - begun);
  }
  if (sorted) return;
  std::vector<std::int64_t> shown(g.first.size());
  std::iota(shown.begin(), shown.end(), std::int64_t{0});
  std::ranges::sort(shown, {}, [&](std::int64_t group) { return g.first[static_cast<std::size_t>(group)]; });
  g.arrange(shown, static_cast<std::int64_t>(slices));
}

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

// Elements as distances from the least one, if these are integers and not much more than there are elements.
struct Distances {
  std::vector<std::uint32_t> of;
  std::size_t range = 0;  // one more than the largest
};
std::uint64_t largest_range(std::size_t elements) {
  return std::min<std::uint64_t>(std::max<std::uint64_t>(1024, 2 * elements), std::uint64_t{1} << 31);
}

template <class D>
std::optional<Distances> distances(std::span<const D> values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto base = static_cast<std::uint64_t>(*least);
  const std::uint64_t range = static_cast<std::uint64_t>(*most) - base;
  if (range >= largest_range(values.size())) return std::nullopt;
  Distances found{.of = std::vector<std::uint32_t>(values.size()), .range = static_cast<std::size_t>(range) + 1};
  for (std::size_t k = 0; k < values.size(); ++k)
    found.of[k] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(values[k]) - base);
  return found;
}

// Looked at some hundred at a time, without a branch among these. A distance counts if the element follows from it:
// then elements that differ have different ones, in the same order.
template <>
std::optional<Distances> distances(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  constexpr std::size_t kRun = 256, kLanes = 8;
  std::array<double, kLanes> lanes;
  lanes.fill(values[0]);
  std::size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes)
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = values[at + i] < lanes[i] ? values[at + i] : lanes[i];
  for (; at < values.size(); ++at) lanes[0] = values[at] < lanes[0] ? values[at] : lanes[0];
  const double least = *std::ranges::min_element(lanes);
  const auto limit = static_cast<double>(largest_range(values.size()));
  Distances found{.of = std::vector<std::uint32_t>(values.size()), .range = 0};
  std::int32_t most = 0;
  for (at = 0; at < values.size(); at += kRun) {
    std::uint64_t wrong = 0;
    for (std::size_t i = at; i < std::min(at + kRun, values.size()); ++i) {
      const double distance = values[i] - least;
      const auto whole = static_cast<std::int32_t>(distance < limit ? distance : 0.0);  // 0 for NaN
      found.of[i] = static_cast<std::uint32_t>(whole);
      most = std::max(most, whole);
      wrong |= std::bit_cast<std::uint64_t>((least + whole) - values[i]) << 1;  // but for the sign of 0
    }
    if (wrong != 0) return std::nullopt;
  }
  found.range = static_cast<std::size_t>(most) + 1;
  return found;
}

void group_by_distances(const Distances& distances, bool sorted, Groups& g) {
  std::vector<std::int64_t> group(distances.range, -1);
  std::int64_t at = 0;
  for (const std::uint32_t distance : distances.of) {
    if (group[distance] < 0) {
      group[distance] = std::ssize(g.first);
      g.begin(at);
    }
    ++g.count[static_cast<std::size_t>(group[distance])];
    if (g.of) g.of[at] = group[distance];
    ++at;
  }
  if (!sorted) return;
  std::erase(group, -1);
  g.arrange(group, at);
}

// By what comes behind the bytes that all have in common: by the next eight of them, and where these are the same by
// the rest. Gives the positions of strings that are equal in their order.
std::vector<std::int64_t> sorted_strings(std::span<const std::string> values) {
  const std::string_view first = values[0];
  std::size_t common = first.size();
  for (const std::string_view value : values)
    common = static_cast<std::size_t>(
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common), value.begin(), value.end())
            .first -
        first.begin());
  std::vector<Entry> entries;
  entries.reserve(values.size());
  for (const std::string& value : values) {
    std::uint64_t key = 0;
    for (std::size_t i = common; i < common + 8; ++i)
      key = key << 8 | (i < value.size() ? static_cast<unsigned char>(value[i]) : 0u);
    entries.push_back({key, std::ssize(entries)});
  }
  sort_by_key(entries);
  std::vector<std::int64_t> slices;
  slices.reserve(entries.size());
  for (const Entry& e : entries) slices.push_back(e.at);
  const auto less = [&](std::int64_t a, std::int64_t b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  };
  for (std::size_t from = 0, to = 0; from < entries.size(); from = to) {
    while (to < entries.size() && entries[to].key == entries[from].key) ++to;
    const auto run = std::span(slices).subspan(from, to - from);
    if (!std::ranges::is_sorted(run, less)) std::ranges::stable_sort(run, less);
  }
  return slices;
}

template <class D>
void group(const Tensor& x, const AxisView& view, bool sorted, Groups& g) {
  std::vector<D> loaded;
  std::span<const D> values;
  if constexpr (std::is_same_v<D, std::string>) {
    values = {x.as<std::string>(), static_cast<std::size_t>(x.size())};
  } else {
    values = loaded = load_all<D>(x);
  }
  const bool single = !values.empty() && view.outer == 1 && view.inner == 1;
  if constexpr (std::is_arithmetic_v<D>) {
    if (single) {
      if (const auto found = distances<D>(values)) return group_by_distances(*found, sorted, g);
      // They are sorted with their positions beside them.
      std::vector<Entry> entries;
      entries.reserve(values.size());
      for (const D& value : values) entries.push_back({key_of(value), std::ssize(entries)});
      sort_by_key(entries);
      return group_sorted(
          entries.size(), sorted, g, [&](std::size_t k) { return entries[k].at; },
          [&](std::size_t k) { return entries[k - 1].key != entries[k].key; });
    }
  }
  std::vector<std::int64_t> slices;
  const auto slice = [&](std::size_t k) { return slices[k]; };
  if constexpr (std::is_same_v<D, std::string>) {
    if (single) {
      slices = sorted_strings(values);
      return group_sorted(slices.size(), sorted, g, slice, [&](std::size_t k) {
        return values[static_cast<std::size_t>(slices[k - 1])] != values[static_cast<std::size_t>(slices[k])];
      });
    }
  }
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
  slices.resize(static_cast<std::size_t>(view.n));
  std::iota(slices.begin(), slices.end(), std::int64_t{0});
  std::ranges::stable_sort(slices, [&](std::int64_t a, std::int64_t b) { return compare(a, b) < 0; });
  group_sorted(slices.size(), sorted, g, slice, [&](std::size_t k) { return compare(slices[k - 1], slices[k]) != 0; });
}

void unique_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const UniqueParams p = resolve_unique(ctx);
  Shape dims = p.flattened ? Shape{x.size()} : x.dims();
  const AxisView view = view_along(dims, p.axis);
  const auto numbers = [&](int output, std::int64_t size) {
    return ctx.wants_output(output) ? ctx.output(output, DataType::Int64, {size}).as_mutable<std::int64_t>() : nullptr;
  };
  Groups g{.first = {}, .count = {}, .of = numbers(2, view.n)};
  visit_domain(domain_of(x.dtype()), [&]<class D>(const D&) { group<D>(x, view, p.sorted, g); });

  const std::int64_t kept = std::ssize(g.first);
  if (ctx.wants_output(0)) {
    dims[static_cast<std::size_t>(p.axis)] = kept;
    Tensor& y = ctx.output(0, x.dtype(), dims);
    for (std::int64_t o = 0, to = 0; to < y.size(); ++o, to += kept * view.inner)
      copy_picked(y, to, x, o * view.n * view.inner, g.first, view.inner);
  }
  if (std::int64_t* const indices = numbers(1, kept)) std::ranges::copy(g.first, indices);
  if (std::int64_t* const counts = numbers(3, kept)) std::ranges::copy(g.count, counts);
}

}  // namespace
}  // namespace unique_ref_cc

void unique_references(opset::ReferenceTable& table) { table.add(Unique, unique_ref); }

}  // namespace norn::ops
