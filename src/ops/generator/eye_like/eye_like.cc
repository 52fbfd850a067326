// An identity matrix of another matrix's shape. The element type is dtype, else the input's.
#include "ops/generator/eye_like/eye_like.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace eye_like_cc {
namespace {

using namespace opset;

constexpr TypeSet kSetT122 = tensors(types::kNumericBf | types::kBool);
constexpr Param kInputs[] = {{.name = "input", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "dtype", .type = ir::AttributeType::Int},
    {.name = "k", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes9[] = {
    {"T1", tensors(types::kNumeric | types::kBool)},
    {"T2", tensors(types::kNumeric | types::kBool)},
};
constexpr TypeConstraint kTypes22[] = {{"T1", kSetT122}, {"T2", kSetT122}};

constexpr Schema kEyeLike[] = {
    {.since = 9, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes9},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

void infer_eye_like(InferContext& ctx) {
  const DataType type = eye_like_type(ctx, ctx.elem(0));
  ctx.require_rank(0, 2);
  if (ctx.has_rank(0))
    ctx.set(0, type, ctx.shape(0));
  else if (type != DataType::Undefined)
    ctx.set(0, type);
}

}  // namespace
}  // namespace eye_like_cc

DataType eye_like_type(const NodeView& node, DataType input) {
  return type_attribute(node, "dtype", "T2").value_or(input);
}

constinit const Operator EyeLike = {.name = "EyeLike", .history = kEyeLike, .infer = infer_eye_like};

void eye_like_schemas(SchemaTable& table) { table.add(EyeLike); }

}  // namespace norn::ops
