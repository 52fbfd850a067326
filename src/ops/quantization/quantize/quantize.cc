// Floating numbers to narrow integers or floats, by scale and zero point. Per tensor, per axis (13), in blocks along an
// axis (21). Rounds halves to even and saturates. The output's type is the zero point's, else output_dtype's, else
// uint8.
#include "ops/quantization/quantize/quantize.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kYZeroPoint = {.name = "y_zero_point", .type = "T2", .option = kOptional};
constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kSaturate = {.name = "saturate", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kBlockSize = {.name = "block_size", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kOutputDtype = {.name = "output_dtype", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr TypeSet kSetT119 = tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16, DataType::Int32));
constexpr TypeSet kSetT323 =
    tensors(elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                  DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int4, DataType::Int8, DataType::Uint16,
                  DataType::Uint4, DataType::Uint8));
constexpr TypeSet kSetT224 =
    tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16, DataType::Float8E8M0, DataType::Int32));
constexpr Param kInputs10[] = {
    {.name = "x", .type = "T1"},
    {.name = "y_scale", .type = "tensor(float)"},
    kYZeroPoint,
};
constexpr Param kInputs19[] = {
    {.name = "x", .type = "T1"},
    {.name = "y_scale", .type = "T1"},
    kYZeroPoint,
};
constexpr Param kInputs23[] = {
    {.name = "x", .type = "T1"},
    {.name = "y_scale", .type = "T2"},
    {.name = "y_zero_point", .type = "T3", .option = kOptional},
};
constexpr Param kOutputs10[] = {{.name = "y", .type = "T2"}};
constexpr Param kOutputs23[] = {{.name = "y", .type = "T3"}};
constexpr Attr kAttrs13[] = {kAxis};
constexpr Attr kAttrs19[] = {kAxis, kSaturate};
constexpr Attr kAttrs21[] = {kAxis, kBlockSize, kOutputDtype, kSaturate};
constexpr Attr kAttrs23[] = {
    kAxis,     kBlockSize, kOutputDtype, {.name = "precision", .type = ir::AttributeType::Int, .def = def_int(0)},
    kSaturate,
};
constexpr TypeConstraint kTypes10[] = {
    {"T1", tensors(elems(DataType::Float, DataType::Int32))},
    {"T2", tensors(elems(DataType::Int8, DataType::Uint8))},
};
constexpr TypeConstraint kTypes19[] = {
    {"T1", kSetT119},
    {"T2", tensors(elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int8, DataType::Uint8))},
};
constexpr TypeConstraint kTypes21[] = {
    {"T1", kSetT119},
    {"T2", tensors(elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int4, DataType::Int8, DataType::Uint16,
                         DataType::Uint4, DataType::Uint8))},
};
constexpr TypeConstraint kTypes23[] = {
    {"T1", kSetT119},
    {"T2", kSetT119},
    {"T3", kSetT323},
};
constexpr TypeConstraint kTypes24[] = {
    {"T1", kSetT119},
    {"T2", kSetT224},
    {"T3", kSetT323},
};
constexpr TypeConstraint kTypes25[] = {
    {"T1", kSetT119},
    {"T2", kSetT224},
    {"T3", tensors(elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int2, DataType::Int4, DataType::Int8,
                         DataType::Uint16, DataType::Uint2, DataType::Uint4, DataType::Uint8))},
};
constexpr TypeConstraint kTypes28[] = {
    {"T1", kSetT119},
    {"T2", kSetT224},
    {"T3", tensors(elems(DataType::Float4E2M1, DataType::Float6E2M3, DataType::Float6E3M2, DataType::Float8E4M3FN,
                         DataType::Float8E4M3FNUZ, DataType::Float8E5M2, DataType::Float8E5M2FNUZ, DataType::Int16,
                         DataType::Int2, DataType::Int4, DataType::Int8, DataType::Uint16, DataType::Uint2,
                         DataType::Uint4, DataType::Uint8))},
};

constexpr Schema kQuantizeLinear[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .types = kTypes10},
    {.since = 13, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs13, .types = kTypes10},
    {.since = 19, .inputs = kInputs19, .outputs = kOutputs10, .attrs = kAttrs19, .types = kTypes19},
    {.since = 21, .inputs = kInputs19, .outputs = kOutputs10, .attrs = kAttrs21, .types = kTypes21},
    {.since = 23, .inputs = kInputs23, .outputs = kOutputs23, .attrs = kAttrs23, .types = kTypes23},
    {.since = 24,
     .inputs = kInputs23,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes24,
     .same_meaning = true},
    {.since = 25,
     .inputs = kInputs23,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes25,
     .same_meaning = true},
    {.since = 28,
     .inputs = kInputs23,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes28,
     .same_meaning = true},
};

}  // namespace

constinit const Operator QuantizeLinear = {.name = "QuantizeLinear", .history = kQuantizeLinear};

void quantize_schemas(SchemaTable& table) { table.add(QuantizeLinear); }

}  // namespace norn::ops
