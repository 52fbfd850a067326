// ArgMax and ArgMin: positions of the extremum along one axis. Negative axes came with 11, select_last_index with 12.
//
// A scalar is accepted as one element along axis 0, as NumPy does, although its range of axes is empty.
#include "ops/reduction/arg_extremum/arg_extremum.h"

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace arg_extremum_cc {
namespace {

using namespace opset;

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "data", .type = "T", .diff = Differentiability::NonDifferentiable}};
constexpr Param kOutputs1[] = {{.name = "reduced", .type = "tensor(int64)"}};
constexpr Param kOutputs13[] = {
    {.name = "reduced", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable}};
constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kKeepDims = {.name = "keepdims", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kAttrs1[] = {kAxis, kKeepDims};
constexpr Attr kAttrs12[] = {
    kAxis, kKeepDims, {.name = "select_last_index", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kRows[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 12, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs12, .types = kTypes1},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs12,
     .types = kTypes13,
     .same_meaning = true},
};

void infer_arg_extremum(InferContext& ctx) {
  if (!ctx.has_rank(0)) return ctx.set(0, DataType::Int64);
  Dims out = ctx.shape(0);
  const ArgExtremumParams p = resolve_arg_extremum(ctx, ctx.rank(0));
  if (!out.empty()) {
    if (p.keepdims)
      out[static_cast<std::size_t>(p.axis)] = 1;
    else
      out.erase(out.begin() + p.axis);
  }
  ctx.set(0, DataType::Int64, std::move(out));
}

}  // namespace
}  // namespace arg_extremum_cc

ArgExtremumParams resolve_arg_extremum(const NodeView& node, std::int64_t rank) {
  const Attrs& attrs = node.attrs();
  return {.axis = node.axis(rank == 0 ? 1 : rank),
          .keepdims = attrs.flag("keepdims"),
          .last = node.version() >= 12 && attrs.flag("select_last_index")};
}

constinit const Operator ArgMax = {.name = "ArgMax", .history = kRows, .infer = infer_arg_extremum};
constinit const Operator ArgMin = {.name = "ArgMin", .history = kRows, .infer = infer_arg_extremum};

void arg_extremum_schemas(SchemaTable& table) {
  table.add(ArgMax);
  table.add(ArgMin);
}

}  // namespace norn::ops
