// Operators on 8-bit integers: what ONNX says of floating-point numbers, between dequantising and quantising.
#include "ops/microsoft/qlinear/qlinear.h"

#include "ops/common/shapes.h"
#include "ops/microsoft/domain.h"

namespace norn::ops {
namespace microsoft {
inline namespace qlinear_cc {
namespace {

using namespace opset;

constexpr Param kQLinearAddInputs[] = {
    {.name = "A", .type = "T"},
    {.name = "A_scale", .type = "tensor(float)"},
    {.name = "A_zero_point", .type = "T", .option = ParamOption::Optional},
    {.name = "B", .type = "T"},
    {.name = "B_scale", .type = "tensor(float)"},
    {.name = "B_zero_point", .type = "T", .option = ParamOption::Optional},
    {.name = "C_scale", .type = "tensor(float)"},
    {.name = "C_zero_point", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kQLinearAddOutputs[] = {
    {.name = "C", .type = "T"},
};
constexpr TypeConstraint kQLinearAddTypes[] = {
    {"T", tensors(elems(DataType::Int8, DataType::Uint8))},
};
constexpr Param kQLinearConcatInputs[] = {
    {.name = "Y_scale", .type = "TF"},
    {.name = "Y_zero_point", .type = "T8"},
    {.name = "inputs", .type = "TV", .option = ParamOption::Variadic, .homogeneous = false},
};
constexpr Param kQLinearConcatOutputs[] = {
    {.name = "Y", .type = "T8"},
};
constexpr Attr kQLinearConcatAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .required = true},
};
constexpr TypeConstraint kQLinearConcatTypes[] = {
    {"T8", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"TF", tensors(elems(DataType::Float))},
    {"TV", tensors(elems(DataType::Float, DataType::Int8, DataType::Uint8))},
};
constexpr Param kQLinearAveragePoolInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "x_scale", .type = "tensor(float)"},
    {.name = "x_zero_point", .type = "T", .option = ParamOption::Optional},
    {.name = "y_scale", .type = "tensor(float)"},
    {.name = "y_zero_point", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kQLinearAveragePoolOutputs[] = {
    {.name = "Y", .type = "T"},
};
constexpr Attr kQLinearAveragePoolAttrs[] = {
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")},
    {.name = "ceil_mode", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "channels_last", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "count_include_pad", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints, .required = true},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr Param kQLinearGlobalAveragePoolInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "x_scale", .type = "tensor(float)"},
    {.name = "x_zero_point", .type = "T"},
    {.name = "y_scale", .type = "tensor(float)"},
    {.name = "y_zero_point", .type = "T"},
};
constexpr Attr kQLinearGlobalAveragePoolAttrs[] = {
    {.name = "channels_last", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr Param kQLinearSigmoidInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "X_scale", .type = "tensor(float)"},
    {.name = "X_zero_point", .type = "T", .option = ParamOption::Optional},
    {.name = "Y_scale", .type = "tensor(float)"},
    {.name = "Y_zero_point", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kQLinearLeakyReluAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(0.01f)},
};

constexpr Param kQLinearSoftmaxInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "X_scale", .type = "tensor(float)"},
    {.name = "x_zero_point", .type = "T", .option = ParamOption::Optional},
    {.name = "y_scale", .type = "tensor(float)"},
    {.name = "y_zero_point", .type = "T"},
};
constexpr Attr kQLinearSoftmaxAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "opset", .type = ir::AttributeType::Int, .required = true},
};
constexpr Param kQLinearWhereInputs[] = {
    {.name = "condition", .type = "B"},    {.name = "X", .type = "T"},        {.name = "x_scale", .type = "TF"},
    {.name = "x_zero_point", .type = "T"}, {.name = "Y", .type = "T"},        {.name = "y_scale", .type = "TF"},
    {.name = "y_zero_point", .type = "T"}, {.name = "z_scale", .type = "TF"}, {.name = "z_zero_point", .type = "T"},
};
constexpr Param kQLinearWhereOutputs[] = {
    {.name = "Z", .type = "T"},
};
constexpr TypeConstraint kQLinearWhereTypes[] = {
    {"B", tensors(types::kBool)},
    {"TF", tensors(elems(DataType::Float))},
    {"T", tensors(elems(DataType::Int8, DataType::Uint8))},
};
constexpr Param kQLinearReduceMeanInputs[] = {
    {.name = "data", .type = "T"},
    {.name = "data_scale", .type = "tensor(float)"},
    {.name = "data_zero_point", .type = "T", .option = ParamOption::Optional},
    {.name = "reduced_scale", .type = "tensor(float)"},
    {.name = "reduced_zero_point", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kQLinearReduceMeanOutputs[] = {
    {.name = "reduced", .type = "T"},
};
constexpr Attr kQLinearReduceMeanAttrs[] = {
    {.name = "axes", .type = ir::AttributeType::Ints, .required = true},
    {.name = "keepdims", .type = ir::AttributeType::Int, .required = true},
};
constexpr Param kNhwcMaxPoolInputs[] = {
    {.name = "x", .type = "T"},
};
constexpr Param kNhwcMaxPoolOutputs[] = {
    {.name = "y", .type = "T"},
};
constexpr Attr kNhwcMaxPoolAttrs[] = {
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")},
    {.name = "ceil_mode", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints, .required = true},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};

constexpr Schema kQLinearSoftmax[] = {
    {.since = 1,
     .inputs = kQLinearSoftmaxInputs,
     .outputs = kQLinearAveragePoolOutputs,
     .attrs = kQLinearSoftmaxAttrs,
     .types = kQLinearAddTypes},
};

constexpr Schema kQLinearWhere[] = {
    {.since = 1, .inputs = kQLinearWhereInputs, .outputs = kQLinearWhereOutputs, .types = kQLinearWhereTypes},
};

constexpr Schema kQLinearReduceMean[] = {
    {.since = 1,
     .inputs = kQLinearReduceMeanInputs,
     .outputs = kQLinearReduceMeanOutputs,
     .attrs = kQLinearReduceMeanAttrs,
     .types = kQLinearAddTypes},
};

constexpr Schema kNhwcMaxPool[] = {
    {.since = 1,
     .inputs = kNhwcMaxPoolInputs,
     .outputs = kNhwcMaxPoolOutputs,
     .attrs = kNhwcMaxPoolAttrs,
     .types = kQLinearAddTypes},
};

constexpr Schema kQLinearAdd[] = {
    {.since = 1, .inputs = kQLinearAddInputs, .outputs = kQLinearAddOutputs, .types = kQLinearAddTypes},
};

constexpr Schema kQLinearMul[] = {
    {.since = 1, .inputs = kQLinearAddInputs, .outputs = kQLinearAddOutputs, .types = kQLinearAddTypes},
};

constexpr Schema kQLinearConcat[] = {
    {.since = 1,
     .inputs = kQLinearConcatInputs,
     .outputs = kQLinearConcatOutputs,
     .attrs = kQLinearConcatAttrs,
     .types = kQLinearConcatTypes},
};

constexpr Schema kQLinearAveragePool[] = {
    {.since = 1,
     .inputs = kQLinearAveragePoolInputs,
     .outputs = kQLinearAveragePoolOutputs,
     .attrs = kQLinearAveragePoolAttrs,
     .types = kQLinearAddTypes},
};

constexpr Schema kQLinearGlobalAveragePool[] = {
    {.since = 1,
     .inputs = kQLinearGlobalAveragePoolInputs,
     .outputs = kQLinearAveragePoolOutputs,
     .attrs = kQLinearGlobalAveragePoolAttrs,
     .types = kQLinearAddTypes},
};

constexpr Schema kQLinearSigmoid[] = {
    {.since = 1, .inputs = kQLinearSigmoidInputs, .outputs = kQLinearAveragePoolOutputs, .types = kQLinearAddTypes},
};

constexpr Schema kQLinearLeakyRelu[] = {
    {.since = 1,
     .inputs = kQLinearSigmoidInputs,
     .outputs = kQLinearAveragePoolOutputs,
     .attrs = kQLinearLeakyReluAttrs,
     .types = kQLinearAddTypes},
};

void infer_single(InferContext& ctx) {
  for (const int scale : {1, 3}) require_single(ctx, scale);
  same_as_input(ctx);
}

void infer_pair(InferContext& ctx) {
  for (const int scale : {1, 4, 6}) require_single(ctx, scale);
  const DataType elem = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(3);
  if (ctx.has_rank(0) && ctx.has_rank(3)) return ctx.set(0, elem, broadcast(ctx, ctx.shape(0), ctx.shape(3)));
  if (elem != DataType::Undefined) ctx.set(0, elem);
}

}  // namespace
}  // namespace qlinear_cc

constinit const Operator QLinearAdd = {
    .domain = kMicrosoftDomain, .name = "QLinearAdd", .history = kQLinearAdd, .infer = infer_pair};
constinit const Operator QLinearMul = {
    .domain = kMicrosoftDomain, .name = "QLinearMul", .history = kQLinearMul, .infer = infer_pair};
constinit const Operator QLinearConcat = {
    .domain = kMicrosoftDomain, .name = "QLinearConcat", .history = kQLinearConcat};
constinit const Operator QLinearAveragePool = {
    .domain = kMicrosoftDomain, .name = "QLinearAveragePool", .history = kQLinearAveragePool};
constinit const Operator QLinearGlobalAveragePool = {
    .domain = kMicrosoftDomain, .name = "QLinearGlobalAveragePool", .history = kQLinearGlobalAveragePool};
constinit const Operator QLinearSoftmax = {
    .domain = kMicrosoftDomain, .name = "QLinearSoftmax", .history = kQLinearSoftmax, .infer = infer_single};
constinit const Operator QLinearWhere = {.domain = kMicrosoftDomain, .name = "QLinearWhere", .history = kQLinearWhere};
constinit const Operator QLinearReduceMean = {
    .domain = kMicrosoftDomain, .name = "QLinearReduceMean", .history = kQLinearReduceMean};
constinit const Operator NhwcMaxPool = {.domain = kMicrosoftDomain, .name = "NhwcMaxPool", .history = kNhwcMaxPool};
constinit const Operator QLinearSigmoid = {
    .domain = kMicrosoftDomain, .name = "QLinearSigmoid", .history = kQLinearSigmoid, .infer = infer_single};
constinit const Operator QLinearLeakyRelu = {
    .domain = kMicrosoftDomain, .name = "QLinearLeakyRelu", .history = kQLinearLeakyRelu, .infer = infer_single};

}  // namespace microsoft

void qlinear_schemas(opset::SchemaTable& table) {
  table.add(microsoft::QLinearAdd);
  table.add(microsoft::QLinearMul);
  table.add(microsoft::QLinearConcat);
  table.add(microsoft::QLinearAveragePool);
  table.add(microsoft::QLinearGlobalAveragePool);
  table.add(microsoft::NhwcMaxPool);
  table.add(microsoft::QLinearReduceMean);
  table.add(microsoft::QLinearSoftmax);
  table.add(microsoft::QLinearWhere);
  table.add(microsoft::QLinearSigmoid);
  table.add(microsoft::QLinearLeakyRelu);
}

}  // namespace norn::ops
