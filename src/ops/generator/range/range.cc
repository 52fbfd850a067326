// Numbers from a start to a limit by a step. The count is max(ceil((limit - start) / delta), 0). 27 takes narrow
// floating types and counts them in stash_type.
#include "ops/generator/range/range.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace range_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "start", .type = "T"},
    {.name = "limit", .type = "T"},
    {.name = "delta", .type = "T"},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T"}};
constexpr Attr kAttrs[] = {{.name = "stash_type", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes11[] = {
    {"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float, DataType::Int16))},
};
constexpr TypeConstraint kTypes27[] = {{"T", tensors(types::kFloats | types::kIndex | elems(DataType::Int16))}};

constexpr Schema kRange[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .types = kTypes11},
    {.since = 27, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes27},
};

// From below to above; the distance of two numbers may take one bit more than they do.
std::int64_t count_between(const NodeView& node, std::int64_t from, std::int64_t to, std::int64_t step) {
  if (to <= from) return 0;
  const std::uint64_t distance = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  const std::uint64_t width = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t count = (distance - 1) / width + 1;
  if (count > static_cast<std::uint64_t>(INT64_MAX)) node.fail("there are more numbers than fit into 63 bits");
  return static_cast<std::int64_t>(count);
}

// The i-th number, which fits where the step that leads to it need not.
DimExpr range_number(const DimExpr& start, std::int64_t i, std::int64_t step) {
  if (!start.is_constant()) return start + DimExpr(i) * DimExpr(step);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(start.constant()) +
                                   static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
}

void infer_range(InferContext& ctx) {
  DataType elem = DataType::Undefined;
  for (int i = 0; i < 3 && elem == DataType::Undefined; ++i) elem = ctx.elem(i);
  check_range(ctx);
  const auto start = one_int(ctx, 0), limit = one_int(ctx, 1), delta = one_int(ctx, 2);
  if (!start || !limit || !delta || !delta->is_constant())
    return ctx.set(0, elem, {ctx.fresh_dim("it follows from the contents of start, limit and delta")});
  const DimExpr count = range_count(ctx, *start, *limit, delta->constant());
  ctx.set(0, elem, {count});
  if (!count.is_constant() || count.constant() > 64) return;
  Dims numbers;
  for (std::int64_t i = 0; i < count.constant(); ++i) numbers.push_back(range_number(*start, i, delta->constant()));
  ctx.set_ints(0, std::move(numbers));
}

}  // namespace
}  // namespace range_cc

// A tensor of one element is taken for a scalar, as ONNX's own models have it.
void check_range(const NodeView& node) {
  for (int i = 0; i < 3; ++i) require_single(node, i);
  if (const norn::Tensor* delta = node.constant(2); delta && delta->size() == 1 && number_at(*delta, 0) == 0)
    node.fail("delta is 0");
}

DimExpr range_count(const NodeView& node, const DimExpr& start, const DimExpr& limit, std::int64_t delta) {
  const DimExpr &from = delta > 0 ? start : limit, &to = delta > 0 ? limit : start;
  if (from.is_constant() && to.is_constant()) return count_between(node, from.constant(), to.constant(), delta);
  return DimExpr::max(DimExpr::ceil_div(to - from, delta > 0 ? delta : -delta), 0);
}

constinit const Operator Range = {.name = "Range", .history = kRange, .infer = infer_range};

void range_schemas(SchemaTable& table) { table.add(Range); }

}  // namespace norn::ops
