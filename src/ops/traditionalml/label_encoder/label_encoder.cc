// Keys to values, by a table. Version 1 maps strings to their positions and back; 2 took pairs of lists; 4 tensors,
// whose default depends on type.
#include "ops/traditionalml/label_encoder/label_encoder.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Attr kDefaultInt64 = {.name = "default_int64", .type = ir::AttributeType::Int, .def = def_int(-1)};
constexpr Attr kDefaultString = {
    .name = "default_string", .type = ir::AttributeType::String, .def = def_string("_Unused")};
constexpr Attr kDefaultFloat = {.name = "default_float", .type = ir::AttributeType::Float, .def = def_float(-0.0f)};
constexpr Attr kKeysFloats = {.name = "keys_floats", .type = ir::AttributeType::Floats};
constexpr Attr kKeysInt64s = {.name = "keys_int64s", .type = ir::AttributeType::Ints};
constexpr Attr kKeysStrings = {.name = "keys_strings", .type = ir::AttributeType::Strings};
constexpr Attr kValuesFloats = {.name = "values_floats", .type = ir::AttributeType::Floats};
constexpr Attr kValuesInt64s = {.name = "values_int64s", .type = ir::AttributeType::Ints};
constexpr Attr kValuesStrings = {.name = "values_strings", .type = ir::AttributeType::Strings};
constexpr TypeSet kSetT11 = tensors(types::kString | elems(DataType::Int64));
constexpr TypeSet kSetT12 = tensors(types::kString | elems(DataType::Float, DataType::Int64));
constexpr TypeSet kSetT14 =
    tensors(types::kIndex | types::kString | elems(DataType::Double, DataType::Float, DataType::Int16));
constexpr Param kInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T2"}};
constexpr Attr kAttrs1[] = {
    {.name = "classes_strings", .type = ir::AttributeType::Strings},
    kDefaultInt64,
    kDefaultString,
};
constexpr Attr kAttrs2[] = {kDefaultFloat, kDefaultInt64, kDefaultString, kKeysFloats,   kKeysInt64s,
                            kKeysStrings,  kValuesFloats, kValuesInt64s,  kValuesStrings};
constexpr Attr kAttrs4[] = {
    kDefaultFloat, kDefaultInt64, kDefaultString, {.name = "default_tensor", .type = ir::AttributeType::Tensor},
    kKeysFloats,   kKeysInt64s,   kKeysStrings,   {.name = "keys_tensor", .type = ir::AttributeType::Tensor},
    kValuesFloats, kValuesInt64s, kValuesStrings, {.name = "values_tensor", .type = ir::AttributeType::Tensor},
};
constexpr TypeConstraint kTypes1[] = {{"T1", kSetT11}, {"T2", kSetT11}};
constexpr TypeConstraint kTypes2[] = {{"T1", kSetT12}, {"T2", kSetT12}};
constexpr TypeConstraint kTypes4[] = {{"T1", kSetT14}, {"T2", kSetT14}};

constexpr Schema kLabelEncoder[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs1, .types = kTypes1},
    {.since = 2, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs2, .types = kTypes2},
    {.since = 4, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs4, .types = kTypes4},
};

}  // namespace

constinit const Operator LabelEncoder = {.domain = "ai.onnx.ml", .name = "LabelEncoder", .history = kLabelEncoder};

void label_encoder_schemas(SchemaTable& table) { table.add(LabelEncoder); }

}  // namespace norn::ops
