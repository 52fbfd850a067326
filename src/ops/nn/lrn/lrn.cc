// LRN: each element is divided by a power of the local energy across channels.
#include "ops/nn/lrn/lrn.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace lrn_cc {
namespace {

using namespace opset;

constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1e-4f)},
    {.name = "beta", .type = ir::AttributeType::Float, .def = def_float(0.75f)},
    {.name = "bias", .type = ir::AttributeType::Float, .def = def_float(1.0f)},
    {.name = "size", .type = ir::AttributeType::Int, .required = true},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kLRN[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 13, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
};

void infer_lrn(InferContext& ctx) {
  resolve_lrn(ctx);
  if (ctx.has_rank(0) && ctx.rank(0) < 2) ctx.fail("X needs a batch and a channel dimension");
  same_as_input(ctx);
}

}  // namespace
}  // namespace lrn_cc

LrnParams resolve_lrn(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const std::int64_t size = attrs.i("size");
  if (size < 1) node.fail("size is " + std::to_string(size) + ", but has to be positive");
  return {size, attrs.f("alpha"), attrs.f("beta"), attrs.f("bias")};
}

constinit const Operator LRN = {.name = "LRN", .history = kLRN, .infer = infer_lrn};

void lrn_schemas(SchemaTable& table) { table.add(LRN); }

}  // namespace norn::ops
