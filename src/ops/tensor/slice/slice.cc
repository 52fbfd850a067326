// Slice: NumPy's start:end:step along some axes, with clamping.
//
// Traps: the start of a backward slice is clamped to [0, size - 1], so a start before the first element means the first
// element, where NumPy gives nothing; an empty dimension stays empty whatever the step. Ends as large as an int32 or
// int64 can hold mean "to the end" and are how exporters spell it, for dimensions of any size.
#include "ops/tensor/slice/slice.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

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
// More axes than any tensor has; a damaged file may claim any number.
constexpr std::int64_t kMostDims = 64;

DimExpr at_least_0(const DimExpr& e) { return DimExpr::max(e, 0); }
bool non_negative(const DimExpr& e) { return e.is_constant() ? e.constant() >= 0 : at_least_0(e) == e; }

// Elements of start:end:step in a dimension whose size is a number.
std::int64_t sliced(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size == 0) return 0;
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, size);
    end = std::clamp<std::int64_t>(end, 0, size);
    return end <= start ? 0 : (end - start - 1) / step + 1;
  }
  start = std::clamp<std::int64_t>(start, 0, size - 1);
  end = std::clamp<std::int64_t>(end, -1, size - 1);
  return end >= start ? 0 : (start - end - 1) / -std::max(step, kLeastStep) + 1;
}

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
    return DimExpr(sliced(size.constant(), start.constant(), end.constant(), step));
  }
  if (step > 0) {
    const auto whole = forward_extent(size, start, end);
    return whole ? std::optional(strided(*whole, step)) : std::nullopt;
  }
  if (!start.is_constant() || !end.is_constant()) return std::nullopt;
  return strided(backward_extent(size, start.constant(), end.constant()), -std::max(step, kLeastStep));
}

// What is known of the four lists.
struct Bounds {
  std::optional<Dims> starts, ends;
  std::optional<std::vector<std::int64_t>> axes, steps;
  bool default_axes = false;
  std::optional<std::size_t> count;
};

template <class List>
void count_is(InferContext& ctx, std::optional<std::size_t>& count, const std::optional<List>& list,
              std::string_view name) {
  if (!list) return;
  if (count && *count != list->size()) {
    ctx.fail(std::string(name) + " has " + std::to_string(list->size()) + " entries, but another list has " +
             std::to_string(*count));
  }
  count = list->size();
}

Bounds bounds(InferContext& ctx) {
  Bounds b;
  if (ctx.version() < 10) {
    const auto starts = ctx.attrs().ints("starts"), ends = ctx.attrs().ints("ends");
    b.starts = Dims(starts.begin(), starts.end());
    b.ends = Dims(ends.begin(), ends.end());
    b.axes = ctx.attrs().find_ints("axes");
    b.default_axes = !b.axes;
    b.steps = std::vector<std::int64_t>(starts.size(), 1);
  } else {
    for (int i = 1; i <= 4; ++i) {
      if (ctx.has_input(i)) ctx.require_rank(i, 1);
      if (!ctx.has_rank(i) || !ctx.shape(i)[0].is_constant()) continue;
      const std::int64_t n = ctx.shape(i)[0].constant();
      if (n <= kMostDims) b.count = static_cast<std::size_t>(n);
    }
    if (const Dims* ints = ctx.ints(1)) b.starts = *ints;
    if (const Dims* ints = ctx.ints(2)) b.ends = *ints;
    b.default_axes = !ctx.has_input(3);
    if (!b.default_axes) b.axes = ctx.const_ints(3);
    if (ctx.has_input(4))
      b.steps = ctx.const_ints(4);
    else if (b.count)
      b.steps = std::vector<std::int64_t>(*b.count, 1);
  }
  count_is(ctx, b.count, b.starts, "starts");
  count_is(ctx, b.count, b.ends, "ends");
  count_is(ctx, b.count, b.axes, "axes");
  count_is(ctx, b.count, b.steps, "steps");
  if (b.default_axes && b.count && (!ctx.has_rank(0) || *b.count <= static_cast<std::size_t>(ctx.rank(0)))) {
    if (ctx.has_rank(0)) {
      b.axes.emplace();
      for (std::size_t i = 0; i < *b.count; ++i) b.axes->push_back(static_cast<std::int64_t>(i));
    }
  } else if (b.default_axes && b.count) {
    ctx.fail("there are " + std::to_string(*b.count) + " starts for an input of shape " + to_string(ctx.shape(0)));
  }
  if (b.steps) {
    for (const std::int64_t s : *b.steps) {
      if (s == 0) ctx.fail("a step of Slice is 0");
    }
  }
  if (b.axes && ctx.version() < 11) {
    for (const std::int64_t a : *b.axes) {
      if (a < 0) ctx.fail("axis " + std::to_string(a) + " is negative, which opset 11 introduced");
    }
  }
  return b;
}

// The sliced contents of a vector whose bounds are all numbers.
void slice_contents(InferContext& ctx, const Bounds& b) {
  const Dims* ints = ctx.ints(0);
  if (!ints || ctx.rank(0) != 1 || !b.starts || !b.ends || !b.steps) return;
  Dims result = *ints;
  if (b.starts->size() == 1) {
    const DimExpr &start = (*b.starts)[0], &end = (*b.ends)[0];
    const auto size = static_cast<std::int64_t>(ints->size());
    if (!start.is_constant() || !end.is_constant()) return;
    const std::int64_t step = std::clamp((*b.steps)[0], -kFar, kFar);
    const std::int64_t n = sliced(size, start.constant(), end.constant(), step);
    std::int64_t at = start.constant() < 0 ? start.constant() + size : start.constant();
    at = std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(size - 1, 0));
    result.clear();
    for (std::int64_t k = 0; k < n; ++k, at += step) result.push_back((*ints)[static_cast<std::size_t>(at)]);
  }
  ctx.set_ints(0, std::move(result));
}

void infer_slice(InferContext& ctx) {
  const Bounds b = bounds(ctx);
  if (!ctx.has_rank(0)) {
    ctx.set(0, ctx.elem(0));
    return;
  }
  Dims dims = ctx.shape(0);
  if (!b.axes) {
    for (DimExpr& d : dims) d = ctx.fresh_dim();
    ctx.set(0, ctx.elem(0), std::move(dims));
    return;
  }
  std::vector<bool> seen(dims.size(), false);
  for (std::size_t i = 0; i < b.axes->size(); ++i) {
    const auto axis = static_cast<std::size_t>(ctx.normalize_axis((*b.axes)[i], ctx.rank(0), false, "axes"));
    if (seen[axis]) ctx.fail("axis " + std::to_string(axis) + " is sliced twice");
    seen[axis] = true;
    std::optional<DimExpr> size;
    if (b.starts && b.ends && b.steps) size = extent(dims[axis], (*b.starts)[i], (*b.ends)[i], (*b.steps)[i]);
    dims[axis] = size ? *size : ctx.fresh_dim();
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
  slice_contents(ctx, b);
}

}  // namespace

constinit const Operator Slice = {.name = "Slice", .history = kSlice, .infer = infer_slice};

void slice_schemas(SchemaTable& table) { table.add(Slice); }

}  // namespace norn::ops
