// Comparison, element by element, into booleans. Version 1 broadcasts only where the attribute says so. Any comparison
// with NaN is false. Equal alone takes booleans and, from 19, strings.
#include "ops/logical/compare/compare.h"

#include <optional>
#include <utility>

#include "norn/error.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace compare_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs1[] = {{.name = "A", .type = "T"}, {.name = "B", .type = "T"}};
constexpr Param kInputs13[] = {
    {.name = "A", .type = "T", .diff = kNonDiff},
    {.name = "B", .type = "T", .diff = kNonDiff},
};
constexpr Param kOutputs1[] = {{.name = "C", .type = "T1"}};
constexpr Param kOutputs13[] = {{.name = "C", .type = "T1", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
    {.name = "broadcast", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kEqualTypes1[] = {{"T", tensors(types::kIndex | types::kBool)}, {"T1", tensors(types::kBool)}};
constexpr TypeConstraint kEqualTypes11[] = {
    {"T", tensors(types::kNumeric | types::kBool)},
    {"T1", tensors(types::kBool)},
};
constexpr TypeConstraint kEqualTypes13[] = {
    {"T", tensors(types::kNumericBf | types::kBool)},
    {"T1", tensors(types::kBool)},
};
constexpr TypeConstraint kEqualTypes19[] = {
    {"T", tensors(types::kNumericBf | types::kBool | types::kString)},
    {"T1", tensors(types::kBool)},
};
constexpr TypeConstraint kGreaterTypes1[] = {{"T", tensors(types::kFloat16To64)}, {"T1", tensors(types::kBool)}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kNumeric)}, {"T1", tensors(types::kBool)}};
constexpr TypeConstraint kGreaterTypes13[] = {{"T", tensors(types::kNumericBf)}, {"T1", tensors(types::kBool)}};

constexpr Schema kEqual[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kEqualTypes1},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .types = kEqualTypes1},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .types = kEqualTypes11, .same_meaning = true},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kEqualTypes13, .same_meaning = true},
    {.since = 19, .inputs = kInputs13, .outputs = kOutputs13, .types = kEqualTypes19, .same_meaning = true},
};

constexpr Schema kCompareRows1[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kGreaterTypes1},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .types = kGreaterTypes1},
    {.since = 9, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes9, .same_meaning = true},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kGreaterTypes13, .same_meaning = true},
};

constexpr Schema kCompareRows12[] = {
    {.since = 12, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes9},
    {.since = 16, .inputs = kInputs13, .outputs = kOutputs13, .types = kGreaterTypes13, .same_meaning = true},
};

constexpr FunctionBody kGreaterOrEqualBodies[] = {
    {.since = 12, .opset = 13, .nodes = "{ more = Greater (A, B) same = Equal (A, B) C = Or (more, same) }"},
};
constexpr FunctionBody kLessOrEqualBodies[] = {
    {.since = 12, .opset = 13, .nodes = "{ less = Less (A, B) same = Equal (A, B) C = Or (less, same) }"},
};

// What holds for all sizes that the variables may stand for; nothing where it depends on them.
using Comparison = std::optional<bool> (*)(const DimExpr& a, const DimExpr& b);
std::optional<bool> is_less(const DimExpr& a, const DimExpr& b) {
  if (known_at_least(b - a, 1)) return true;
  if (known_at_least(a - b, 0)) return false;
  return {};
}
std::optional<bool> is_equal(const DimExpr& a, const DimExpr& b) {
  if (a == b) return true;
  if (DimExpr::differ(a, b) || known_at_least(a - b, 1) || known_at_least(b - a, 1)) return false;
  return {};
}
std::optional<bool> is_greater(const DimExpr& a, const DimExpr& b) { return is_less(b, a); }
std::optional<bool> negated(std::optional<bool> known) {
  if (known) known = !*known;
  return known;
}
std::optional<bool> is_at_least(const DimExpr& a, const DimExpr& b) { return negated(is_less(a, b)); }
std::optional<bool> is_at_most(const DimExpr& a, const DimExpr& b) { return negated(is_less(b, a)); }

// The result where every element is known, as exporters compare the sizes of a shape with -1.
std::optional<Tensor> known_comparison(const InferContext& ctx, Comparison compare) {
  const Dims *a = ctx.ints(0), *b = ctx.ints(1);
  if (!a || !b || !ctx.has_rank(0) || !ctx.has_rank(1)) return {};
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return {};
  const std::size_t n = a->size() == 1 ? b->size() : a->size();
  const bool scalar = ctx.rank(0) == 0 && ctx.rank(1) == 0;
  Tensor result(DataType::Bool, scalar ? norn::Shape{} : norn::Shape{static_cast<std::int64_t>(n)});
  try {
    for (std::size_t i = 0; i < n; ++i) {
      const auto known = compare((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
      if (!known) return {};
      result.as_mutable<bool>()[i] = *known;
    }
  } catch (const Error&) {  // a difference beyond 64 bits
    return {};
  }
  return result;
}

template <Comparison compare>
void infer_compare(InferContext& ctx) {
  infer_pairs(ctx, DataType::Bool);
  if (auto known = known_comparison(ctx, compare)) ctx.set_constant(0, *std::move(known));
}

}  // namespace
}  // namespace compare_cc

constinit const Operator Equal = {.name = "Equal", .history = kEqual, .infer = infer_compare<is_equal>};
constinit const Operator Greater = {.name = "Greater", .history = kCompareRows1, .infer = infer_compare<is_greater>};
constinit const Operator GreaterOrEqual = {.name = "GreaterOrEqual",
                                           .history = kCompareRows12,
                                           .infer = infer_compare<is_at_least>,
                                           .bodies = kGreaterOrEqualBodies};
constinit const Operator Less = {.name = "Less", .history = kCompareRows1, .infer = infer_compare<is_less>};
constinit const Operator LessOrEqual = {
    .name = "LessOrEqual", .history = kCompareRows12, .infer = infer_compare<is_at_most>, .bodies = kLessOrEqualBodies};

void compare_schemas(SchemaTable& table) {
  for (const Operator* op : {&Equal, &Greater, &GreaterOrEqual, &Less, &LessOrEqual}) table.add(*op);
}

}  // namespace norn::ops
