// Slice: NumPy's start:end:step along some axes, with clamping.
//
// Traps: the start of a backward slice is clamped to [0, size - 1], so a start before the first element means the first
// element, where NumPy gives nothing; an empty dimension stays empty whatever the step. Ends as large as an int32 or
// int64 can hold mean "to the end" and are how exporters spell it, for dimensions of any size.
#include "ops/tensor/slice/slice.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace slice_cc {
namespace {

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kInputs10[] = {
    {.name = "data", .type = "T"},
    {.name = "starts", .type = "Tind"},
    {.name = "ends", .type = "Tind"},
    {.name = "axes", .type = "Tind", .option = ParamOption::Optional},
    {.name = "steps", .type = "Tind", .option = ParamOption::Optional},
};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "starts", .type = "Tind", .diff = kNonDiff},
    {.name = "ends", .type = "Tind", .diff = kNonDiff},
    {.name = "axes", .type = "Tind", .option = ParamOption::Optional, .diff = kNonDiff},
    {.name = "steps", .type = "Tind", .option = ParamOption::Optional, .diff = kNonDiff},
};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs1[] = {
    {.name = "axes", .type = ir::AttributeType::Ints},
    {.name = "ends", .type = ir::AttributeType::Ints, .required = true},
    {.name = "starts", .type = ir::AttributeType::Ints, .required = true},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes10[] = {{"T", tensors(types::kAll)}, {"Tind", tensors(types::kIndex)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema kSlice[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs1, .types = kTypes10},
    {.since = 11, .inputs = kInputs10, .outputs = kOutputs1, .types = kTypes10},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

// No dimension reaches this; a bound beyond it stands for the end (or, negative, for before the beginning).
constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
// The step whose negation still is one; and steps beyond any size, of which none is ever taken.
constexpr std::int64_t kLeastStep = -std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kHugeStep = std::int64_t{1} << 62;

DimExpr at_least_0(const DimExpr& e) { return DimExpr::max(e, 0); }
bool non_negative(const DimExpr& e) { return e.is_constant() ? e.constant() >= 0 : at_least_0(e) == e; }

// end - start after both are clamped to [0, size]; nothing if the sign of a symbolic bound is unknown.
std::optional<DimExpr> forward_extent(const DimExpr& size, const DimExpr& start, const DimExpr& end) {
  const bool to_end = end == size || (end.is_constant() && end.constant() >= kFar);
  const bool from_front = non_negative(start), until_front = to_end || non_negative(end);
  if (!from_front && !start.is_constant()) return std::nullopt;
  if (!until_front && !end.is_constant()) return std::nullopt;
  const bool starts_far = start.is_constant() && start.constant() >= kFar;
  if (starts_far || (end.is_constant() && end.constant() <= -kFar)) return DimExpr(0);
  if (from_front) {
    if (to_end) return at_least_0(size - start);
    if (until_front) return at_least_0(DimExpr::min(end - start, size - start));
    return at_least_0(size + end - start);
  }
  if (start.constant() <= -kFar) return forward_extent(size, 0, end);
  if (to_end) return DimExpr::min(DimExpr(0) - start, size);
  if (until_front) return at_least_0(DimExpr::min(end, size) - at_least_0(size + start));
  return at_least_0(DimExpr::min(end - start, size + end));
}

// start - end after both are clamped, backwards, for bounds that are numbers.
DimExpr backward_extent(const DimExpr& size, std::int64_t start, std::int64_t end) {
  const bool from_last = start == -1 || start >= kFar, to_first = end <= -kFar;
  if (from_last && to_first) return size;
  if (end >= kFar || end == -1) return 0;
  const DimExpr first = from_last        ? size - 1
                        : start <= -kFar ? DimExpr(0)
                        : start < 0      ? at_least_0(size + start)
                                         : DimExpr::min(start, size - 1);
  const DimExpr last = to_first ? DimExpr(-1) : end < 0 ? DimExpr::max(size + end, -1) : DimExpr::min(end, size - 1);
  return at_least_0(DimExpr::min(first - last, size));
}

// How many elements steps of `step` > 0 meet.
DimExpr strided(const DimExpr& elements, std::int64_t step) {
  return step >= kHugeStep ? DimExpr::min(elements, 1) : DimExpr::ceil_div(elements, step);
}

std::optional<DimExpr> extent(const DimExpr& size, const DimExpr& start, const DimExpr& end, std::int64_t step) {
  if (size.is_constant() && start.is_constant() && end.is_constant()) {
    return DimExpr(slice_range(size.constant(), start.constant(), end.constant(), step).size);
  }
  if (step > 0) {
    const auto whole = forward_extent(size, start, end);
    return whole ? std::optional(strided(*whole, step)) : std::nullopt;
  }
  if (!start.is_constant() || !end.is_constant()) return std::nullopt;
  return strided(backward_extent(size, start.constant(), end.constant()), -std::max(step, kLeastStep));
}

// The length of the lists, if one of their shapes is known.
std::optional<std::size_t> list_length(InferContext& ctx) {
  std::optional<std::size_t> count;
  for (int i = 1; i <= 4 && ctx.version() >= 10; ++i) {
    if (ctx.has_input(i)) ctx.require_rank(i, 1);
    if (!ctx.has_rank(i) || !ctx.shape(i)[0].is_constant()) continue;
    const std::int64_t n = ctx.shape(i)[0].constant();
    if (n <= kMostDims) count = static_cast<std::size_t>(n);
  }
  return count;
}

template <class List>
void require_as_many(const NodeView& node, std::optional<std::size_t>& count, const std::optional<List>& list,
                     std::string_view name) {
  if (!list) return;
  if (count && *count != list->size()) {
    node.fail(std::string(name) + " has " + std::to_string(list->size()) + " entries, but another list has " +
              std::to_string(*count));
  }
  count = list->size();
}

// The sliced contents of a vector whose bounds are all numbers.
void slice_contents(InferContext& ctx, const SliceParams& p) {
  const Dims* ints = ctx.ints(0);
  if (!ints || ctx.rank(0) != 1 || !p.starts || !p.ends || !p.steps) return;
  Dims result = *ints;
  if (p.starts->size() == 1) {
    const DimExpr &start = (*p.starts)[0], &end = (*p.ends)[0];
    if (!start.is_constant() || !end.is_constant()) return;
    const SliceRange range =
        slice_range(static_cast<std::int64_t>(ints->size()), start.constant(), end.constant(), (*p.steps)[0]);
    result.clear();
    for (std::int64_t k = 0; k < range.size; ++k) {
      result.push_back((*ints)[static_cast<std::size_t>(range.start + k * range.step)]);
    }
  }
  ctx.set_ints(0, std::move(result));
}

void infer_slice(InferContext& ctx) {
  std::optional<std::int64_t> rank;
  if (ctx.has_rank(0)) rank = ctx.rank(0);
  const SliceParams p = resolve_slice(ctx, rank, list_length(ctx));
  if (!rank) return ctx.set(0, ctx.elem(0));
  Dims dims = ctx.shape(0);
  if (!p.axes) {
    ctx.explain("the contents of axes are not known");
    for (DimExpr& d : dims) d = ctx.fresh_dim();
    return ctx.set(0, ctx.elem(0), std::move(dims));
  }
  for (std::size_t i = 0; i < p.axes->size(); ++i) {
    DimExpr& d = dims[static_cast<std::size_t>((*p.axes)[i])];
    std::optional<DimExpr> size;
    if (p.starts && p.ends && p.steps) size = extent(d, (*p.starts)[i], (*p.ends)[i], (*p.steps)[i]);
    if (size)
      d = *size;
    else if (p.starts && p.ends && p.steps)
      d = ctx.fresh_dim("the bounds are expressions that may lie beyond the ends");
    else
      d = ctx.fresh_dim("the contents of starts, ends or steps are not known");
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
  slice_contents(ctx, p);
}

}  // namespace
}  // namespace slice_cc

SliceRange slice_range(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size == 0) return {};
  step = std::max(step, kLeastStep);
  if (start < 0) start += size;
  if (end < 0) end += size;
  std::int64_t n = 0;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, size);
    end = std::clamp<std::int64_t>(end, 0, size);
    if (end > start) n = (end - start - 1) / step + 1;
  } else {
    start = std::clamp<std::int64_t>(start, 0, size - 1);
    end = std::clamp<std::int64_t>(end, -1, size - 1);
    if (start > end) n = (start - end - 1) / -step + 1;
  }
  if (n <= 1) step = 1;  // it may be too large to be multiplied, and nothing steps
  return {n == 0 ? 0 : start, step, n};
}

SliceParams resolve_slice(const NodeView& node, std::optional<std::int64_t> rank, std::optional<std::size_t> count) {
  SliceParams p;
  bool default_axes = false, default_steps = true;
  if (node.version() < 10) {
    p.starts = to_dims(node.attrs().ints("starts"));
    p.ends = to_dims(node.attrs().ints("ends"));
    p.axes = node.attrs().find_ints("axes");
    default_axes = !p.axes;
  } else {
    p.starts = node.known_ints(1);
    p.ends = node.known_ints(2);
    p.axes = node.const_ints(3);
    p.steps = node.const_ints(4);
    default_axes = !node.has_input(3);
    default_steps = !node.has_input(4);
  }
  require_as_many(node, count, p.starts, "starts");
  require_as_many(node, count, p.ends, "ends");
  require_as_many(node, count, p.axes, "axes");
  require_as_many(node, count, p.steps, "steps");
  if (default_steps && count) p.steps.emplace(*count, 1);
  if (default_axes && count && rank) {
    if (*count > static_cast<std::size_t>(*rank)) {
      node.fail("there are " + std::to_string(*count) + " starts for an input of rank " + std::to_string(*rank));
    }
    p.axes.emplace(*count);
    std::iota(p.axes->begin(), p.axes->end(), 0);
  }
  if (p.steps && std::find(p.steps->begin(), p.steps->end(), 0) != p.steps->end()) node.fail("a step of Slice is 0");
  if (!p.axes) return p;
  if (rank) p.axes = node.normalize_axes(*std::move(p.axes), *rank);
  return p;
}

std::vector<SliceRange> slice_ranges(const NodeView& node, const Shape& x) {
  std::vector<SliceRange> ranges;
  for (const std::int64_t size : x) ranges.push_back({0, 1, size});
  const SliceParams p = resolve_slice(node, static_cast<std::int64_t>(x.size()));
  const Dims &starts = node.require(p.starts, "starts"), &ends = node.require(p.ends, "ends");
  const auto &axes = node.require(p.axes, "axes"), &steps = node.require(p.steps, "steps");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    SliceRange& range = ranges[static_cast<std::size_t>(axes[i])];
    range = slice_range(range.size, starts[i].constant(), ends[i].constant(), steps[i]);
  }
  return ranges;
}

constinit const Operator Slice = {.name = "Slice", .history = kSlice, .infer = infer_slice, .moves = Movement::First};

void slice_schemas(SchemaTable& table) { table.add(Slice); }

}  // namespace norn::ops
