// Narrow integers or floats to floating numbers, by scale and zero point. Per tensor, per axis (13), in blocks along an
// axis (21). int32 has no zero point. The output's type is the scale's unless output_dtype (23) says otherwise.
#include "ops/quantization/dequantize/dequantize.h"

#include <string>

#include "ops/quantization/quantize/quantize.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace dequantize_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kBlockSize = {.name = "block_size", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr TypeSet kSetT219 = tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16));
constexpr TypeSet kSetT123 =
    tensors(elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                  DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int32, DataType::Int4, DataType::Int8,
                  DataType::Uint16, DataType::Uint4, DataType::Uint8));
constexpr TypeSet kSetT224 =
    tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16, DataType::Float8E8M0));
constexpr Param kInputs10[] = {
    {.name = "x", .type = "T"},
    {.name = "x_scale", .type = "tensor(float)"},
    {.name = "x_zero_point", .type = "T", .option = kOptional},
};
constexpr Param kInputs19[] = {
    {.name = "x", .type = "T1"},
    {.name = "x_scale", .type = "T2"},
    {.name = "x_zero_point", .type = "T1", .option = kOptional},
};
constexpr Param kOutputs10[] = {{.name = "y", .type = "tensor(float)"}};
constexpr Param kOutputs19[] = {{.name = "y", .type = "T2"}};
constexpr Param kOutputs23[] = {{.name = "y", .type = "T3"}};
constexpr Attr kAttrs13[] = {kAxis};
constexpr Attr kAttrs21[] = {kAxis, kBlockSize};
constexpr Attr kAttrs23[] = {
    kAxis,
    kBlockSize,
    {.name = "output_dtype", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes10[] = {{"T", tensors(elems(DataType::Int32, DataType::Int8, DataType::Uint8))}};
constexpr TypeConstraint kTypes19[] = {
    {"T1", tensors(elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int32, DataType::Int8, DataType::Uint8))},
    {"T2", kSetT219},
};
constexpr TypeConstraint kTypes21[] = {
    {"T1", tensors(elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int32, DataType::Int4, DataType::Int8,
                         DataType::Uint16, DataType::Uint4, DataType::Uint8))},
    {"T2", kSetT219},
};
constexpr TypeConstraint kTypes23[] = {
    {"T1", kSetT123},
    {"T2", kSetT219},
    {"T3", kSetT219},
};
constexpr TypeConstraint kTypes24[] = {
    {"T1", kSetT123},
    {"T2", kSetT224},
    {"T3", kSetT219},
};
constexpr TypeConstraint kTypes25[] = {
    {"T1", tensors(elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int2, DataType::Int32, DataType::Int4,
                         DataType::Int8, DataType::Uint16, DataType::Uint2, DataType::Uint4, DataType::Uint8))},
    {"T2", kSetT224},
    {"T3", kSetT219},
};
constexpr TypeConstraint kTypes28[] = {
    {"T1", tensors(elems(DataType::Float4E2M1, DataType::Float6E2M3, DataType::Float6E3M2, DataType::Float8E4M3FN,
                         DataType::Float8E4M3FNUZ, DataType::Float8E5M2, DataType::Float8E5M2FNUZ, DataType::Int16,
                         DataType::Int2, DataType::Int32, DataType::Int4, DataType::Int8, DataType::Uint16,
                         DataType::Uint2, DataType::Uint4, DataType::Uint8))},
    {"T2", kSetT224},
    {"T3", kSetT219},
};

constexpr Schema kDequantizeLinear[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .types = kTypes10},
    {.since = 13, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs13, .types = kTypes10},
    {.since = 19, .inputs = kInputs19, .outputs = kOutputs19, .attrs = kAttrs13, .types = kTypes19},
    {.since = 21, .inputs = kInputs19, .outputs = kOutputs19, .attrs = kAttrs21, .types = kTypes21},
    {.since = 23, .inputs = kInputs19, .outputs = kOutputs23, .attrs = kAttrs23, .types = kTypes23},
    {.since = 24,
     .inputs = kInputs19,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes24,
     .same_meaning = true},
    {.since = 25,
     .inputs = kInputs19,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes25,
     .same_meaning = true},
    {.since = 28,
     .inputs = kInputs19,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes28,
     .same_meaning = true},
};

void infer_dequantize(InferContext& ctx) {
  infer_scales(ctx);
  const DataType to = dequantized_type(ctx, ctx.elem(1));
  if (ctx.has_rank(0))
    ctx.set(0, to, ctx.shape(0));
  else
    ctx.set(0, to);
}

}  // namespace
}  // namespace dequantize_cc

DataType dequantized_type(const NodeView& node, DataType scale) {
  if (node.version() < 19) return DataType::Float;
  if (node.version() < 23) return scale;
  const std::int64_t given = node.attrs().i("output_dtype");
  if (given < 0 || given >= kDataTypeCount)
    node.fail("output_dtype is " + std::to_string(given) + ", which is not an element type");
  const DataType to = given ? static_cast<DataType>(given) : scale;
  if (to != DataType::Undefined && !find_type(node.schema(), "T3")->set.allows_tensor(to)) {
    node.fail(std::string(data_type_name(to)) + " is not a type that this version dequantizes to",
              "output_dtype has to be float16, bfloat16 or float");
  }
  return to;
}

constinit const Operator DequantizeLinear = {
    .name = "DequantizeLinear", .history = kDequantizeLinear, .infer = infer_dequantize};

void dequantize_schemas(SchemaTable& table) { table.add(DequantizeLinear); }

}  // namespace norn::ops
