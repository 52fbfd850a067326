// The same bits under another element type. The two types have the same width: unlike Cast it converts nothing. Strings
// have no bits to take.
#include "ops/tensor/bit_cast/bit_cast.h"

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace bit_cast_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr TypeSet kSetT126 = tensors(types::kNumericBf | types::kBool | types::kComplex |
                                     elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ,
                                           DataType::Float8E5M2, DataType::Float8E5M2FNUZ, DataType::Float8E8M0,
                                           DataType::Int2, DataType::Int4, DataType::Uint2, DataType::Uint4));
constexpr Param kInputs[] = {{.name = "input", .type = "T1", .diff = kNonDiff}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "to", .type = ir::AttributeType::Int, .required = true}};
constexpr TypeConstraint kTypes[] = {{"T1", kSetT126}, {"T2", kSetT126}};

constexpr Schema kBitCast[] = {
    {.since = 26, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_bit_cast(InferContext& ctx) {
  const DataType to = bit_cast_target(ctx, ctx.elem(0));
  if (ctx.has_rank(0))
    ctx.set(0, to, ctx.shape(0));
  else
    ctx.set(0, to);
  if (const Dims* ints = ctx.ints(0); ints && to == ctx.elem(0)) ctx.set_ints(0, *ints);
}

}  // namespace
}  // namespace bit_cast_cc

DataType bit_cast_target(const NodeView& node, DataType from) {
  const std::int64_t number = node.attrs().i("to");
  if (number <= 0 || number >= kDataTypeCount)
    node.fail("to is " + std::to_string(number) + ", which is not an element type");
  const auto to = static_cast<DataType>(number);
  if (!kSetT126.allows_tensor(to)) node.fail("BitCast does not give " + std::string(data_type_name(to)));
  if (from != DataType::Undefined && !kSetT126.allows_tensor(from))
    node.fail("BitCast does not take " + std::string(data_type_name(from)));
  if (from != DataType::Undefined && storage_bits(from) != storage_bits(to)) {
    node.fail(std::string(data_type_name(from)) + " has " + std::to_string(storage_bits(from)) + " bits, and " +
                  std::string(data_type_name(to)) + ", to which it is cast, " + std::to_string(storage_bits(to)),
              "BitCast needs types of equal width");
  }
  return to;
}

constinit const Operator BitCast = {.name = "BitCast", .history = kBitCast, .infer = infer_bit_cast};

void bit_cast_schemas(SchemaTable& table) { table.add(BitCast); }

}  // namespace norn::ops
