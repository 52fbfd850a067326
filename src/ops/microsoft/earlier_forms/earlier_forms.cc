// Operators that ONNX Runtime had before ONNX had its own, and distances.
#include "ops/microsoft/earlier_forms/earlier_forms.h"

#include "ops/common/agree.h"
#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace earlier_forms_cc {
namespace {

using namespace opset;

constexpr Param kExpandDimsInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "axis", .type = "tensor(int32)"},
};
constexpr Param kExpandDimsOutputs[] = {
    {.name = "Y", .type = "T"},
};
constexpr TypeConstraint kExpandDimsTypes[] = {
    {"T", tensors(types::kAll)},
};
constexpr Param kTriluInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "k", .type = "tensor(int64)", .option = ParamOption::Optional},
};
constexpr Attr kTriluAttrs[] = {
    {.name = "upper", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTriluTypes[] = {
    {"T", tensors(types::kNumericBf | types::kBool)},
};
constexpr Param kPadInputs[] = {
    {.name = "data", .type = "T"},
    {.name = "pads", .type = "tensor(int64)"},
    {.name = "value", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kPadOutputs[] = {
    {.name = "output", .type = "T"},
};
constexpr Attr kPadAttrs[] = {
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("constant")},
};
constexpr TypeConstraint kPadTypes[] = {
    {"T", tensors(types::kFloat16To64)},
};
constexpr Param kCDistInputs[] = {
    {.name = "A", .type = "T"},
    {.name = "B", .type = "T"},
};
constexpr Param kCDistOutputs[] = {
    {.name = "C", .type = "T"},
};
constexpr Attr kCDistAttrs[] = {
    {.name = "metric", .type = ir::AttributeType::String, .def = def_string("sqeuclidean")},
};
constexpr TypeConstraint kCDistTypes[] = {
    {"T", tensors(elems(DataType::Double, DataType::Float))},
};
constexpr Param kUniqueInputs[] = {
    {.name = "x", .type = "T"},
};
constexpr Param kUniqueOutputs[] = {
    {.name = "y", .type = "T"},
    {.name = "idx", .type = "tensor(int64)"},
    {.name = "counts", .type = "tensor(int64)"},
};
constexpr Param kGatherNDInputs[] = {
    {.name = "data", .type = "T"},
    {.name = "indices", .type = "Tind"},
};
constexpr TypeConstraint kGatherNDTypes[] = {
    {"T", tensors(types::kAll)},
    {"Tind", tensors(types::kIndex)},
};
constexpr Param kRangeInputs[] = {
    {.name = "start", .type = "T"},
    {.name = "limit", .type = "T"},
    {.name = "delta", .type = "T", .option = ParamOption::Optional},
};
constexpr TypeConstraint kRangeTypes[] = {
    {"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float, DataType::Int16))},
};

constexpr Schema kExpandDims[] = {
    {.since = 1, .inputs = kExpandDimsInputs, .outputs = kExpandDimsOutputs, .types = kExpandDimsTypes},
};
constexpr Schema kTrilu[] = {
    {.since = 1, .inputs = kTriluInputs, .outputs = kExpandDimsOutputs, .attrs = kTriluAttrs, .types = kTriluTypes},
};
constexpr Schema kPad[] = {
    {.since = 1, .inputs = kPadInputs, .outputs = kPadOutputs, .attrs = kPadAttrs, .types = kPadTypes},
};
constexpr Schema kCDist[] = {
    {.since = 1, .inputs = kCDistInputs, .outputs = kCDistOutputs, .attrs = kCDistAttrs, .types = kCDistTypes},
};
constexpr Schema kUnique[] = {
    {.since = 1, .inputs = kUniqueInputs, .outputs = kUniqueOutputs, .types = kExpandDimsTypes},
};
constexpr Schema kGatherND[] = {
    {.since = 1, .inputs = kGatherNDInputs, .outputs = kPadOutputs, .types = kGatherNDTypes},
};
constexpr Schema kRange[] = {
    {.since = 1, .inputs = kRangeInputs, .outputs = kExpandDimsOutputs, .types = kRangeTypes},
};

void infer_cdist(InferContext& ctx) {
  ctx.require_rank(0, 2);
  ctx.require_rank(1, 2);
  agree(ctx, 0, 1, 1, 1);
  const auto a = size_of(ctx, 0, 0), b = size_of(ctx, 1, 0);
  ctx.set(0, ctx.elem(0), {a ? *a : ctx.fresh_dim(), b ? *b : ctx.fresh_dim()});
}

}  // namespace
}  // namespace earlier_forms_cc

constinit const Operator ExpandDims = {.domain = kMicrosoftDomain, .name = "ExpandDims", .history = kExpandDims};
constinit const Operator Trilu = {.domain = kMicrosoftDomain, .name = "Trilu", .history = kTrilu};
constinit const Operator Pad = {.domain = kMicrosoftDomain, .name = "Pad", .history = kPad};
constinit const Operator CDist = {.domain = kMicrosoftDomain, .name = "CDist", .history = kCDist, .infer = infer_cdist};
constinit const Operator Unique = {.domain = kMicrosoftDomain, .name = "Unique", .history = kUnique};
constinit const Operator GatherND = {.domain = kMicrosoftDomain, .name = "GatherND", .history = kGatherND};
constinit const Operator Range = {.domain = kMicrosoftDomain, .name = "Range", .history = kRange};

}  // namespace microsoft

void earlier_forms_schemas(opset::SchemaTable& table) {
  table.add(microsoft::ExpandDims);
  table.add(microsoft::Trilu);
  table.add(microsoft::Pad);
  table.add(microsoft::CDist);
  table.add(microsoft::Unique);
  table.add(microsoft::GatherND);
  table.add(microsoft::Range);
}

}  // namespace norn::ops
