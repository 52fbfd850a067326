// Conversion to another tensor's element type; its body is Cast to that type. Its attributes
// follow Cast's: saturate for 8-bit floats came with 19, round_mode with 24.
#include "ops/tensor/cast_like/cast_like.h"

#include <string>

#include "ops/tensor/cast/cast.h"
#include "opset/function_body.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace cast_like_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kSaturate = {.name = "saturate", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr TypeSet kSetT115 = tensors(types::kNumericBf | types::kBool | types::kString);
constexpr TypeSet kSetT119 =
    tensors(types::kNumericBf | types::kBool | types::kString |
            elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2, DataType::Float8E5M2FNUZ));
constexpr TypeSet kSetT121 = tensors(types::kNumericBf | types::kBool | types::kString |
                                     elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                                           DataType::Float8E5M2FNUZ, DataType::Int4, DataType::Uint4));
constexpr TypeSet kSetT123 =
    tensors(types::kNumericBf | types::kBool | types::kString |
            elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                  DataType::Float8E5M2FNUZ, DataType::Int4, DataType::Uint4));
constexpr TypeSet kSetT124 =
    tensors(types::kNumericBf | types::kBool | types::kString |
            elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                  DataType::Float8E5M2FNUZ, DataType::Float8E8M0, DataType::Int4, DataType::Uint4));
constexpr TypeSet kSetT125 = tensors(types::kNumericBf | types::kBool | types::kString |
                                     elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ,
                                           DataType::Float8E5M2, DataType::Float8E5M2FNUZ, DataType::Float8E8M0,
                                           DataType::Int2, DataType::Int4, DataType::Uint2, DataType::Uint4));
constexpr Param kInputs[] = {
    {.name = "input", .type = "T1", .diff = kDiff},
    {.name = "target_type", .type = "T2", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2", .diff = kDiff}};
constexpr Attr kAttrs19[] = {kSaturate};
constexpr Attr kAttrs24[] = {
    {.name = "round_mode", .type = ir::AttributeType::String, .def = def_string("up")},
    kSaturate,
};
constexpr TypeConstraint kTypes15[] = {{"T1", kSetT115}, {"T2", kSetT115}};
constexpr TypeConstraint kTypes19[] = {{"T1", kSetT119}, {"T2", kSetT119}};
constexpr TypeConstraint kTypes21[] = {{"T1", kSetT121}, {"T2", kSetT121}};
constexpr TypeConstraint kTypes23[] = {{"T1", kSetT123}, {"T2", kSetT123}};
constexpr TypeConstraint kTypes24[] = {{"T1", kSetT124}, {"T2", kSetT124}};
constexpr TypeConstraint kTypes25[] = {{"T1", kSetT125}, {"T2", kSetT125}};

constexpr Schema kCastLike[] = {
    {.since = 15, .inputs = kInputs, .outputs = kOutputs, .types = kTypes15},
    {.since = 19, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs19, .types = kTypes19},
    {.since = 21, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs19, .types = kTypes21, .same_meaning = true},
    {.since = 23, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs19, .types = kTypes23, .same_meaning = true},
    {.since = 24, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs24, .types = kTypes24},
    {.since = 25, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs24, .types = kTypes25, .same_meaning = true},
};

void infer_cast_like(InferContext& ctx) {
  if (ctx.elem(1) == DataType::Undefined) return;
  ValueType type = ValueType::tensor(ctx.elem(1));
  if (ctx.input(0).is_tensor()) type.shape = ctx.input(0).shape;
  ctx.set(0, std::move(type));
  cast_contents(ctx, ctx.elem(1));
}

void cast_like_body(BodyBuilder& b) {
  std::string attrs = "to = " + std::to_string(static_cast<int>(b.elem(1)));
  if (b.version() >= 19) attrs += ", saturate: int = @saturate";
  if (b.version() >= 24) attrs += ", round_mode: string = @round_mode";
  b.add("output = Cast <" + attrs + "> (input)");
}

constexpr FunctionBody kBodies[] = {
    {.since = 15, .opset = 15, .build = cast_like_body}, {.since = 19, .opset = 19, .build = cast_like_body},
    {.since = 21, .opset = 21, .build = cast_like_body}, {.since = 23, .opset = 23, .build = cast_like_body},
    {.since = 24, .opset = 24, .build = cast_like_body}, {.since = 25, .opset = 25, .build = cast_like_body},
};

}  // namespace
}  // namespace cast_like_cc

constinit const Operator CastLike = {
    .name = "CastLike", .history = kCastLike, .infer = infer_cast_like, .bodies = kBodies};

void cast_like_schemas(SchemaTable& table) { table.add(CastLike); }

}  // namespace norn::ops
