// A tensor cut into parts along an axis. Lengths are an input or an attribute in version 1, an attribute up to 11, an
// input since 13. Without them the parts are equal; from 18 on, with num_outputs, the last may be shorter.
//
// Trap: negative axes entered the text with version 11, but exporters wrote them before, and runtimes counted them from
// the end; so does this one.
#include "ops/tensor/split/split.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace split_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kOptional = ParamOption::Optional;
constexpr auto kVariadic = ParamOption::Variadic;

constexpr Attr kSplitAttr = {.name = "split", .type = ir::AttributeType::Ints};
constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Param kInputs1[] = {{.name = "input", .type = "T"}, {.name = "split", .type = "T", .option = kOptional}};
constexpr Param kInputs2[] = {{.name = "input", .type = "T"}};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "split", .type = "tensor(int64)", .option = kOptional, .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs1[] = {{.name = "outputs...", .type = "T", .option = kVariadic}};
constexpr Param kOutputs2[] = {{.name = "outputs", .type = "T", .option = kVariadic}};
constexpr Param kOutputs13[] = {{.name = "outputs", .type = "T", .option = kVariadic, .diff = kDiff}};
constexpr Attr kAttrs1[] = {{.name = "axis", .type = ir::AttributeType::Int}, kSplitAttr};
constexpr Attr kAttrs2[] = {kAxis, kSplitAttr};
constexpr Attr kAttrs13[] = {kAxis};
constexpr Attr kAttrs18[] = {kAxis, {.name = "num_outputs", .type = ir::AttributeType::Int}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes2[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kSplit[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 2, .inputs = kInputs2, .outputs = kOutputs2, .attrs = kAttrs2, .types = kTypes2},
    {.since = 11, .inputs = kInputs2, .outputs = kOutputs2, .attrs = kAttrs2, .types = kTypes2},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs13, .types = kTypes13},
    {.since = 18, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13},
};

void check_lengths(const NodeView& node, const Dims& lengths, const DimExpr* size, std::size_t outputs) {
  if (lengths.size() != outputs)
    node.fail("split gives " + std::to_string(lengths.size()) + " lengths for " + std::to_string(outputs) + " outputs");
  DimExpr sum = 0;
  for (const DimExpr& length : lengths) {
    if (length.is_constant() && length.constant() < 0) node.fail("split has a negative length: " + to_string(lengths));
    sum = sum + length;
  }
  if (size && DimExpr::differ(sum, *size))
    node.fail("the lengths " + to_string(lengths) + " make up " + sum.to_string() + ", but the axis has " +
              size->to_string() + " elements");
}

// Parts where no lengths are given.
Dims equal_parts(const NodeView& node, const DimExpr& size, std::size_t outputs) {
  const auto n = static_cast<std::int64_t>(outputs);
  if (node.version() >= 18) {
    const DimExpr part = DimExpr::ceil_div(size, n), last = size - part * DimExpr(n - 1);
    if (last.is_constant() && last.constant() < 0)
      node.fail(size.to_string() + " elements cannot be split into " + std::to_string(n) +
                " parts of which only the last is smaller");
    Dims parts(outputs, part);
    parts.back() = last;
    return parts;
  }
  if (size.is_constant() && size.constant() % n != 0)
    node.fail(size.to_string() + " elements cannot be split into " + std::to_string(n) + " equal parts",
              "give their lengths as \"split\"");
  return Dims(outputs, DimExpr::floor_div(size, n));
}

std::optional<Dims> given_lengths(const NodeView& node, const Tensor* numbers) {
  if (node.version() >= 13) return node.known_ints(1);
  if (const auto given = node.attrs().find_ints("split")) {
    if (node.has_input(1)) node.fail("split is given both as an attribute and as an input");
    return to_dims(*given);
  }
  return numbers ? std::optional(to_dims(whole_numbers(node, *numbers, "split"))) : std::nullopt;
}

void infer_split(InferContext& ctx) {
  const auto outputs = static_cast<std::size_t>(ctx.output_count());
  for (int o = 0; o < ctx.output_count(); ++o) ctx.set(o, ctx.elem(0));
  ctx.require_rank(1, 1);
  const SplitParams p = resolve_split(ctx, ctx.has_rank(0) ? &ctx.shape(0) : nullptr, outputs, ctx.constant(1));
  if (!ctx.has_rank(0)) return;
  const auto axis = static_cast<std::size_t>(p.axis);
  const DimExpr size = ctx.shape(0)[axis];
  if (p.lengths && p.given) {
    DimExpr sum = 0;
    for (const DimExpr& length : *p.lengths) sum = sum + length;
    ctx.unify(size, sum, "the axis that is split and the sum of the lengths");
  }
  const Dims* ints = ctx.ints(0);
  std::int64_t first = 0;
  bool known = ints && ctx.rank(0) == 1 && p.lengths;
  for (std::size_t o = 0; o < outputs; ++o) {
    Dims dims = ctx.shape(0);
    if (p.lengths)
      dims[axis] = (*p.lengths)[o];
    else if (outputs > 1)
      dims[axis] = ctx.fresh_dim("the contents of split are not known");
    const DimExpr length = dims[axis];
    ctx.set(static_cast<int>(o), ctx.elem(0), std::move(dims));
    known = known && length.is_constant() && first + length.constant() <= static_cast<std::int64_t>(ints->size());
    if (!known) continue;
    ctx.set_ints(static_cast<int>(o), Dims(ints->begin() + first, ints->begin() + first + length.constant()));
    first += length.constant();
  }
}

}  // namespace
}  // namespace split_cc

SplitParams resolve_split(const NodeView& node, const Dims* shape, std::size_t outputs, const Tensor* numbers) {
  SplitParams p;
  const std::int64_t axis = node.attrs().find_i("axis").value_or(0);
  if (shape) p.axis = node.normalize_axis(axis, static_cast<std::int64_t>(shape->size()));
  const DimExpr* size = shape ? &(*shape)[static_cast<std::size_t>(p.axis)] : nullptr;
  if (node.version() >= 18) {
    const auto parts = node.attrs().find_i("num_outputs");
    if (parts.has_value() == node.has_input(1))
      node.fail(parts ? "both split and num_outputs are given" : "neither split nor num_outputs is given",
                "one of them says what the parts are");
    if (parts && *parts != static_cast<std::int64_t>(outputs))
      node.fail("num_outputs is " + std::to_string(*parts) + ", but there are " + std::to_string(outputs) + " outputs");
  }
  p.lengths = given_lengths(node, numbers);
  p.given = p.lengths.has_value();
  if (p.given)
    check_lengths(node, *p.lengths, size, outputs);
  else if (size && !node.has_input(1))
    p.lengths = equal_parts(node, *size, outputs);
  return p;
}

constinit const Operator Split = {.name = "Split", .history = kSplit, .infer = infer_split, .moves = Movement::First};

void split_schemas(SchemaTable& table) { table.add(Split); }

}  // namespace norn::ops
