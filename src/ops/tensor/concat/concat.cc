// Concat: inputs of equal rank whose sizes differ along one axis only. Version 1 had a default axis, 1; from 11 the
// axis may be negative. Scalars have no axis to be joined along.
#include "ops/tensor/concat/concat.h"

#include <optional>
#include <string>
#include <utility>

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace concat_cc {
namespace {

template <std::uint32_t kElements>
constexpr TypeConstraint kT[] = {{"T", tensors(kElements)}};

constexpr Param kInputs1[] = {{.name = "inputs", .type = "T", .option = ParamOption::Variadic}};
constexpr Param kInputs13[] = {
    {.name = "inputs", .type = "T", .option = ParamOption::Variadic, .diff = Differentiability::Differentiable}};
constexpr Param kOutputs1[] = {{.name = "concat_result", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "concat_result", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs1[] = {{.name = "axis", .type = ir::AttributeType::Int}};
constexpr Attr kAttrs4[] = {{.name = "axis", .type = ir::AttributeType::Int, .required = true}};

constexpr Schema kConcat[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kT<types::kFloat16To64>},
    {.since = 4, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs4, .types = kT<types::kAll>},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs4, .types = kT<types::kAll>},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs4,
     .types = kT<types::kAllBf>,
     .same_meaning = true},
};

// The joined contents of vectors, as exporters put shapes together: something of them has to be known, and the number
// of elements of all.
std::optional<Dims> joined_ints(InferContext& ctx) {
  bool any = false;
  for (int i = 0; i < ctx.input_count(); ++i) {
    if (!ctx.has_rank(i) || ctx.rank(i) != 1) return std::nullopt;
    const auto ints = ctx.known_ints(i);
    any = any || (ints && !ints->empty());
  }
  Dims all;
  for (int i = 0; i < ctx.input_count(); ++i) {
    const auto ints = any ? ctx.partly_known_ints(i) : ctx.known_ints(i);
    if (!ints) return std::nullopt;
    all.insert(all.end(), ints->begin(), ints->end());
  }
  return all;
}

std::int64_t given_axis(const NodeView& node) {
  return node.version() < 4 ? node.attrs().find_i("axis").value_or(1) : node.attrs().i("axis");
}

void infer_concat(InferContext& ctx) {
  given_axis(ctx);
  DataType elem = DataType::Undefined;
  int first = -1;  // the first input of known rank
  bool all_ranked = true;
  for (int i = 0; i < ctx.input_count(); ++i) {
    if (elem == DataType::Undefined) elem = ctx.elem(i);
    if (!ctx.has_rank(i))
      all_ranked = false;
    else if (first < 0)
      first = i;
  }
  if (first < 0) {
    ctx.set(0, elem);
    return;
  }
  const int rank = ctx.rank(first);
  const std::int64_t axis = resolve_concat(ctx, rank);
  Dims dims = ctx.shape(first);
  for (int i = first + 1; i < ctx.input_count(); ++i) {
    if (!ctx.has_rank(i)) continue;
    if (ctx.rank(i) != rank) {
      ctx.fail("inputs " + std::to_string(first) + " and " + std::to_string(i) + " have ranks " + std::to_string(rank) +
               " and " + std::to_string(ctx.rank(i)));
    }
    for (std::int64_t d = 0; d < rank; ++d) {
      DimExpr& sum = dims[static_cast<std::size_t>(d)];
      const DimExpr& next = ctx.shape(i)[static_cast<std::size_t>(d)];
      if (d == axis)
        sum = sum + next;
      else
        sum = ctx.unify(
            sum, next,
            "dimension " + std::to_string(d) + " of inputs " + std::to_string(first) + " and " + std::to_string(i));
    }
  }
  if (!all_ranked) dims[static_cast<std::size_t>(axis)] = ctx.fresh_dim();
  ctx.set(0, elem, std::move(dims));
  if (rank == 1 && all_ranked) {
    if (auto ints = joined_ints(ctx)) ctx.set_ints(0, std::move(*ints));
  }
}

}  // namespace
}  // namespace concat_cc

std::int64_t resolve_concat(const NodeView& node, std::int64_t rank) {
  if (rank == 0) node.fail("scalars cannot be concatenated", "Unsqueeze them first");
  return node.normalize_axis(given_axis(node), rank);
}

constinit const Operator Concat = {
    .name = "Concat", .history = kConcat, .infer = infer_concat, .moves = Movement::Mixed};

void concat_schemas(SchemaTable& table) { table.add(Concat); }

}  // namespace norn::ops
