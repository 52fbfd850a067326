// Products of 8-bit integers whose result is scaled to floating-point numbers.
#include "ops/microsoft/integer_products/integer_products.h"

#include "ops/microsoft/domain.h"

namespace norn::ops {
namespace microsoft {
namespace {

using namespace opset;

constexpr Param kDynamicQuantizeMatMulInputs[] = {
    {.name = "A", .type = "T1"},
    {.name = "B", .type = "T2"},
    {.name = "b_scale", .type = "T1"},
    {.name = "b_zero_point", .type = "T2", .option = ParamOption::Optional},
    {.name = "bias", .type = "T1", .option = ParamOption::Optional},
};
constexpr Param kDynamicQuantizeMatMulOutputs[] = {
    {.name = "Y", .type = "T1"},
};
constexpr TypeConstraint kDynamicQuantizeMatMulTypes[] = {
    {"T1", tensors(elems(DataType::Float))},
    {"T2", tensors(elems(DataType::Int8, DataType::Uint8))},
};
constexpr Param kMatMulIntegerToFloatInputs[] = {
    {.name = "A", .type = "T1"},
    {.name = "B", .type = "T2"},
    {.name = "a_scale", .type = "T3"},
    {.name = "b_scale", .type = "T3"},
    {.name = "a_zero_point", .type = "T1", .option = ParamOption::Optional},
    {.name = "b_zero_point", .type = "T2", .option = ParamOption::Optional},
    {.name = "bias", .type = "T3", .option = ParamOption::Optional},
};
constexpr Param kMatMulIntegerToFloatOutputs[] = {
    {.name = "Y", .type = "T3"},
};
constexpr TypeConstraint kMatMulIntegerToFloatTypes[] = {
    {"T1", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"T2", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"T3", tensors(elems(DataType::Float, DataType::Float16))},
};

constexpr Schema kDynamicQuantizeMatMul[] = {
    {.since = 1,
     .inputs = kDynamicQuantizeMatMulInputs,
     .outputs = kDynamicQuantizeMatMulOutputs,
     .types = kDynamicQuantizeMatMulTypes},
};

constexpr Schema kMatMulIntegerToFloat[] = {
    {.since = 1,
     .inputs = kMatMulIntegerToFloatInputs,
     .outputs = kMatMulIntegerToFloatOutputs,
     .types = kMatMulIntegerToFloatTypes},
};

}  // namespace

constinit const Operator DynamicQuantizeMatMul = {
    .domain = kMicrosoftDomain, .name = "DynamicQuantizeMatMul", .history = kDynamicQuantizeMatMul};
constinit const Operator MatMulIntegerToFloat = {
    .domain = kMicrosoftDomain, .name = "MatMulIntegerToFloat", .history = kMatMulIntegerToFloat};

}  // namespace microsoft

void integer_products_schemas(opset::SchemaTable& table) {
  table.add(microsoft::DynamicQuantizeMatMul);
  table.add(microsoft::MatMulIntegerToFloat);
}

}  // namespace norn::ops
