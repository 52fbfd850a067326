// The upper or lower triangle of matrices, zero elsewhere. The diagonal's offset is an input and may lie outside the
// matrix.
#include "ops/tensor/trilu/trilu.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace trilu_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "k",
     .type = "tensor(int64)",
     .option = ParamOption::Optional,
     .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "upper", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kTrilu[] = {
    {.since = 14, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_trilu(InferContext& ctx) {
  if (ctx.has_rank(0) && ctx.rank(0) < 2)
    ctx.fail("the input has to be a matrix or several, but has rank " + std::to_string(ctx.rank(0)));
  resolve_trilu(ctx);
  same_as_input(ctx);
}

}  // namespace
}  // namespace trilu_cc

TriluParams resolve_trilu(const NodeView& node) {
  TriluParams p{.upper = node.attrs().flag("upper"), .k = std::nullopt};
  if (!node.has_input(1)) {
    p.k = 0;
  } else if (const auto k = one_int(node, 1); k && k->is_constant()) {
    p.k = k->constant();
  }
  return p;
}

constinit const Operator Trilu = {.name = "Trilu", .history = kTrilu, .infer = infer_trilu, .moves = Movement::Mixed};

void trilu_schemas(SchemaTable& table) { table.add(Trilu); }

}  // namespace norn::ops
