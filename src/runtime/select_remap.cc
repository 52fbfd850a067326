// Operators whose output's coordinates name those of the input axis for axis: Pad by its modes, Tile, Resize.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/cpu/physical.h"
#include "kernels/cpu/remap.h"
#include "kernels/cpu/resample.h"
#include "ops/tensor/pad/pad.h"
#include "ops/tensor/resize/resize.h"
#include "ops/tensor/tile/tile.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

namespace {

constexpr std::int64_t kLongestTable = std::int64_t{1} << 22;

// Whether tables of the axes are worth their memory, and there is something to copy.
bool has_tables(Selector& s, std::string_view kernel) {
  std::string why;
  if (s.out_dtype() == DataType::String) why = "moves elements of fixed size, not strings";
  for (std::int64_t size : s.out_dims())
    if (size > kLongestTable) why = "an axis is longer than its tables are made for";
  for (std::size_t i = 1; i < s.node().inputs.size(); ++i)
    if (s.has(i) && !s.constant(i)) why = "input " + std::to_string(i) + " is not constant";
  if (element_count(s.dims(0)) == 0 || element_count(s.out_dims()) == 0) why = "there are no elements to move";
  if (s.dims(0).size() != s.out_dims().size()) why = "the ranks differ";
  if (why.empty()) return true;
  s.refuse(std::string(kernel), std::move(why));
  return false;
}

std::vector<std::int64_t> identity(std::int64_t n) {
  std::vector<std::int64_t> table(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) table[static_cast<std::size_t>(i)] = i;
  return table;
}

// config.from has a table for each of the output's dimensions.
bool choose_remap(Selector& s, kernels::RemapConfig config, Layout layout = Layout::Dense) {
  std::vector<std::vector<std::int64_t>> tables = std::move(config.from);
  config.from.clear();
  for (const std::size_t d : kernels::memory_order(tables.size(), layout)) {
    config.x.push_back(s.dims(0)[d]);
    config.from.push_back(std::move(tables[d]));
  }
  config.element_bytes = element_size(s.out_dtype());
  return s.choose(kernels::remap_candidates(), config, {{s.node().inputs[0], layout}}, {s.node().outputs[0], layout});
}

Layout layout_of(const Selector& s) { return s.advised_layout().value_or(s.made_in(s.node().inputs[0])); }

std::int64_t wrapped(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }

}  // namespace

bool select_pad_mode(Selector& s) {
  const SelectedNode node(s);
  const ops::PadMode mode = ops::pad_mode(node);
  if (s.node().schema->since < 11 || !has_tables(s, "remap")) return false;
  const bool fills = mode == ops::PadMode::Constant;
  const Shape &x = s.dims(0), &out = s.out_dims();
  const ops::PadParams p = ops::resolve_pad(node, static_cast<std::int64_t>(x.size()));
  const auto begins = opset::to_constants(node.require(p.begin, "pads"));
  kernels::RemapConfig config;
  if (const Tensor* const element = fills ? ops::pad_element(node) : nullptr)
    std::memcpy(config.fill.data(), element->data(), element_size(s.out_dtype()));
  for (std::size_t d = 0; d < x.size(); ++d) {
    const std::int64_t begin = begins[d], end = out[d] - x[d] - begin;
    const std::int64_t first = std::max<std::int64_t>(-begin, 0);
    const std::int64_t kept = x[d] - std::max<std::int64_t>(-end, 0) - first;
    if (kept <= 0 && !fills) return false;  // nothing to reflect or repeat
    // What is kept lies as it lay.
    const std::int64_t before = std::clamp<std::int64_t>(begin, 0, out[d]);
    const std::int64_t behind = std::min(out[d], before + std::max<std::int64_t>(kept, 0));
    const auto padding = [&](std::int64_t o) -> std::int64_t {
      const std::int64_t at = o - before;
      if (fills) return -1;
      if (mode == ops::PadMode::Edge) return first + std::clamp<std::int64_t>(at, 0, kept - 1);
      if (mode == ops::PadMode::Wrap) return first + wrapped(at, kept);
      if (kept == 1) return first;
      const std::int64_t m = wrapped(at, 2 * (kept - 1));
      return first + std::min(m, 2 * (kept - 1) - m);
    };
    std::vector<std::int64_t> table(static_cast<std::size_t>(out[d]));
    std::iota(table.begin() + before, table.begin() + behind, first);
    for (std::int64_t o = 0; o < before; ++o) table[static_cast<std::size_t>(o)] = padding(o);
    for (std::int64_t o = behind; o < out[d]; ++o) table[static_cast<std::size_t>(o)] = padding(o);
    config.from.push_back(std::move(table));
  }
  return choose_remap(s, std::move(config), layout_of(s));
}

bool select_tile(Selector& s) {
  if (s.node().schema->since < 6) return false;
  if (element_count(s.dims(0)) == 1 && s.dims(0).size() == s.out_dims().size() && s.constant(1) &&
      s.out_dtype() != DataType::String && element_count(s.out_dims()) > 0 &&
      element_count(s.out_dims()) < std::int64_t{1} << 32 && !s.passes_over("view")) {
    s.strided_view(0, std::vector<std::int64_t>(s.out_dims().size(), 0), 0);
    return true;
  }
  if (!has_tables(s, "remap")) return false;
  const Shape &x = s.dims(0), &out = s.out_dims();
  kernels::RemapConfig config;
  for (std::size_t d = 0; d < x.size(); ++d) {
    std::vector<std::int64_t> table(static_cast<std::size_t>(out[d]));
    for (std::int64_t o = 0; o < out[d]; ++o) table[static_cast<std::size_t>(o)] = o % x[d];
    config.from.push_back(std::move(table));
  }
  return choose_remap(s, std::move(config));
}

bool select_resize(Selector& s) {
  if (!has_tables(s, "remap")) return false;
  const SelectedNode node(s);
  const Shape &x = s.dims(0), &out = s.out_dims();
  const ops::ResizeParams p = ops::resolve_resize(node, static_cast<std::int64_t>(x.size()));
  const auto target = node.require(ops::resolve_resize_target(node, p), "scales");
  const std::vector<ops::AxisTaps> axes = ops::resize_taps(node, p, target, x);
  const bool crops = std::any_of(axes.begin(), axes.end(), [](const auto& a) { return !a.outside.empty(); });
  if (crops) {
    s.refuse("remap", "a coordinate lies outside of the input");
    return false;
  }
  if (std::all_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.identity; }) && !s.passes_over("view")) {
    s.strided_view(0, s.lying_strides(0), 0);
    return true;
  }
  const Layout layout = layout_of(s);
  if (p.mode == ops::ResizeMode::Nearest) {
    kernels::RemapConfig config;
    for (std::int64_t size : out) config.from.push_back(identity(size));
    for (const ops::AxisTaps& axis : axes)
      for (std::size_t o = 0; o < axis.taps.size(); ++o)
        config.from[static_cast<std::size_t>(axis.axis)][o] = axis.taps[o].index;
    return choose_remap(s, std::move(config), layout);
  }
  const std::vector<std::size_t> order = kernels::memory_order(x.size(), layout);
  kernels::ResampleConfig config;
  for (const std::size_t d : order) config.x.push_back(x[d]);
  config.type = s.out_dtype();
  for (const ops::AxisTaps& axis : axes) {
    if (axis.identity) continue;
    const auto at = std::find(order.begin(), order.end(), static_cast<std::size_t>(axis.axis)) - order.begin();
    kernels::ResampledAxis sums{.axis = at, .out = axis.out};
    for (std::size_t o = 0; o + 1 < axis.begin.size(); ++o) {
      const std::size_t count = axis.begin[o + 1] - axis.begin[o];
      if (count == 0) {
        s.refuse("resample", "an element is made of none");
        return false;
      }
      sums.taps = std::max(sums.taps, static_cast<std::int64_t>(count));
    }
    if (sums.taps > 256) {
      s.refuse("resample", "an element is made of more than 256 along an axis");
      return false;
    }
    for (std::size_t o = 0; o + 1 < axis.begin.size(); ++o) {
      const auto first = sums.index.size();
      for (std::size_t t = axis.begin[o]; t < axis.begin[o + 1]; ++t) {
        if (axis.taps[t].index > std::numeric_limits<std::int32_t>::max()) return false;
        sums.index.push_back(static_cast<std::int32_t>(axis.taps[t].index));
        sums.weight.push_back(axis.taps[t].weight);
      }
      // As many taps everywhere: the last one in halves, whose sum is the same for every element, NaN among them.
      while (sums.index.size() - first < static_cast<std::size_t>(sums.taps)) {
        sums.weight.back() /= 2;
        sums.index.push_back(sums.index.back());
        sums.weight.push_back(sums.weight.back());
      }
    }
    config.axes.push_back(std::move(sums));
  }
  // Axes that shrink come first, then the last ones: they leave less to do.
  const auto growth = [&](const kernels::ResampledAxis& a) {
    return static_cast<double>(a.out) / static_cast<double>(config.x[static_cast<std::size_t>(a.axis)]);
  };
  std::sort(config.axes.begin(), config.axes.end(), [&](const auto& a, const auto& b) {
    return growth(a) != growth(b) ? growth(a) < growth(b) : a.axis > b.axis;
  });
  return s.choose(kernels::resample_candidates(), config, {{s.node().inputs[0], layout}},
                  {s.node().outputs[0], layout});
}

}  // namespace norn::runtime
