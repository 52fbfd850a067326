// Numbers from a start to a limit by a step. The count is max(ceil((limit - start) / delta), 0). 27 takes narrow
// floating types and counts them in stash_type.
#include "ops/generator/range/range.h"

#include "opset/infer_context.h"

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
std::int64_t count_between(InferContext& ctx, std::int64_t from, std::int64_t to, std::int64_t step) {
  if (to <= from) return 0;
  const std::uint64_t distance = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  const std::uint64_t width = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t count = (distance - 1) / width + 1;
  if (count > static_cast<std::uint64_t>(INT64_MAX)) ctx.fail("there are more numbers than fit into 63 bits");
  return static_cast<std::int64_t>(count);
}

// The i-th number, which fits where the step that leads to it need not.
DimExpr range_number(const DimExpr& start, std::int64_t i, std::int64_t step) {
  if (!start.is_constant()) return start + DimExpr(i) * DimExpr(step);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(start.constant()) +
                                   static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
}

// A scalar; a tensor of one element is taken for one, as ONNX's own models have it.
void require_scalar(const InferContext& ctx, int input) {
  if (!ctx.has_rank(input) || ctx.rank(input) == 0) return;
  if (ctx.rank(input) > 1 || DimExpr::differ(ctx.shape(input)[0], 1)) ctx.require_rank(input, 0);
}

void infer_range(InferContext& ctx) {
  DataType elem = DataType::Undefined;
  for (int i = 0; i < 3; ++i) {
    if (elem == DataType::Undefined) elem = ctx.elem(i);
    require_scalar(ctx, i);
  }
  const Dims *start = ctx.ints(0), *limit = ctx.ints(1), *delta = ctx.ints(2);
  DimExpr count = ctx.fresh_dim("the contents of start, limit and delta tell it");
  std::optional<Dims> numbers;
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1 &&
      (*delta)[0].is_constant() && (*delta)[0].constant() != 0) {
    const std::int64_t step = (*delta)[0].constant();
    const DimExpr from = step > 0 ? (*start)[0] : (*limit)[0], to = step > 0 ? (*limit)[0] : (*start)[0];
    if (from.is_constant() && to.is_constant())
      count = count_between(ctx, from.constant(), to.constant(), step);
    else
      count = DimExpr::max(DimExpr::ceil_div(to - from, step > 0 ? step : -step), 0);
    if (count.is_constant() && count.constant() <= 64) {
      numbers.emplace();
      for (std::int64_t i = 0; i < count.constant(); ++i) numbers->push_back(range_number((*start)[0], i, step));
    }
  }
  ctx.set(0, elem, {count});
  if (numbers) ctx.set_ints(0, *std::move(numbers));
}

}  // namespace
}  // namespace range_cc

constinit const Operator Range = {.name = "Range", .history = kRange, .infer = infer_range};

void range_schemas(SchemaTable& table) { table.add(Range); }

}  // namespace norn::ops
