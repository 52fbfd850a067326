// MaxPool and AveragePool: a window slides over each channel's plane.
//
// Later versions only add attributes whose defaults mean what went without them: Indices and storage_order (MaxPool 8),
// count_include_pad (AveragePool 7), ceil_mode (10), dilations (MaxPool 10, AveragePool 19). With ceil_mode a last
// window that would start in the padding after the input does not exist.
#include "ops/nn/pool/pool.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace pool_cc {
namespace {

using namespace opset;

constexpr Attr kAutoPad = {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")};
constexpr Attr kCeilMode = {.name = "ceil_mode", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kCountIncludePad = {.name = "count_include_pad", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kDilations = {.name = "dilations", .type = ir::AttributeType::Ints};
constexpr Attr kKernelShape = {.name = "kernel_shape", .type = ir::AttributeType::Ints, .required = true};
constexpr Attr kPads = {.name = "pads", .type = ir::AttributeType::Ints};
constexpr Attr kStorageOrder = {.name = "storage_order", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kStrides = {.name = "strides", .type = ir::AttributeType::Ints};

constexpr Param kInput1[] = {{.name = "X", .type = "T"}};
constexpr Param kInput[] = {{.name = "X", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kOutput1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutput[] = {{.name = "Y", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kMaxOutputs8[] = {
    {.name = "Y", .type = "T"},
    {.name = "Indices", .type = "I", .option = ParamOption::Optional},
};
constexpr Param kMaxOutputs12[] = {
    {.name = "Y", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "Indices", .type = "I", .option = ParamOption::Optional, .diff = Differentiability::NonDifferentiable},
};
constexpr Attr kAttrs1[] = {kAutoPad, kKernelShape, kPads, kStrides};
constexpr Attr kMaxAttrs8[] = {kAutoPad, kKernelShape, kPads, kStorageOrder, kStrides};
constexpr Attr kMaxAttrs10[] = {kAutoPad, kCeilMode, kDilations, kKernelShape, kPads, kStorageOrder, kStrides};
constexpr Attr kAverageAttrs7[] = {kAutoPad, kCountIncludePad, kKernelShape, kPads, kStrides};
constexpr Attr kAverageAttrs10[] = {kAutoPad, kCeilMode, kCountIncludePad, kKernelShape, kPads, kStrides};
constexpr Attr kAverageAttrs19[] = {kAutoPad, kCeilMode, kCountIncludePad, kDilations, kKernelShape, kPads, kStrides};

constexpr TypeConstraint kFloatTypes[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kFloatTypes22[] = {{"T", tensors(types::kFloats)}};
constexpr TypeConstraint kIndices = {"I", tensors(elems(DataType::Int64))};
constexpr TypeConstraint kMaxTypes8[] = {{"T", tensors(types::kFloat16To64)}, kIndices};
constexpr TypeConstraint kMaxTypes12[] = {{"T", tensors(types::kFloat16To64 | elems(DataType::Int8, DataType::Uint8))},
                                          kIndices};
constexpr TypeConstraint kMaxTypes22[] = {{"T", tensors(types::kFloats | elems(DataType::Int8, DataType::Uint8))},
                                          kIndices};

constexpr Schema kMaxPool[] = {
    {.since = 1, .inputs = kInput1, .outputs = kOutput1, .attrs = kAttrs1, .types = kFloatTypes},
    {.since = 8, .inputs = kInput1, .outputs = kMaxOutputs8, .attrs = kMaxAttrs8, .types = kMaxTypes8},
    {.since = 10, .inputs = kInput1, .outputs = kMaxOutputs8, .attrs = kMaxAttrs10, .types = kMaxTypes8},
    {.since = 11,
     .inputs = kInput1,
     .outputs = kMaxOutputs8,
     .attrs = kMaxAttrs10,
     .types = kMaxTypes8,
     .same_meaning = true},
    {.since = 12,
     .inputs = kInput,
     .outputs = kMaxOutputs12,
     .attrs = kMaxAttrs10,
     .types = kMaxTypes12,
     .same_meaning = true},
    {.since = 22,
     .inputs = kInput,
     .outputs = kMaxOutputs12,
     .attrs = kMaxAttrs10,
     .types = kMaxTypes22,
     .same_meaning = true},
};

constexpr Schema kAveragePool[] = {
    {.since = 1, .inputs = kInput1, .outputs = kOutput1, .attrs = kAttrs1, .types = kFloatTypes},
    {.since = 7, .inputs = kInput1, .outputs = kOutput1, .attrs = kAverageAttrs7, .types = kFloatTypes},
    {.since = 10, .inputs = kInput1, .outputs = kOutput1, .attrs = kAverageAttrs10, .types = kFloatTypes},
    {.since = 11,
     .inputs = kInput,
     .outputs = kOutput,
     .attrs = kAverageAttrs10,
     .types = kFloatTypes,
     .same_meaning = true},
    {.since = 19, .inputs = kInput, .outputs = kOutput, .attrs = kAverageAttrs19, .types = kFloatTypes},
    {.since = 22,
     .inputs = kInput,
     .outputs = kOutput,
     .attrs = kAverageAttrs19,
     .types = kFloatTypes22,
     .same_meaning = true},
};

}  // namespace
}  // namespace pool_cc

constinit const Operator MaxPool = {.name = "MaxPool", .history = kMaxPool, .infer = infer_pool};
constinit const Operator AveragePool = {.name = "AveragePool", .history = kAveragePool, .infer = infer_pool};

void pool_schemas(SchemaTable& table) {
  table.add(MaxPool);
  table.add(AveragePool);
}

}  // namespace norn::ops
