// Interpolation to larger sizes, by the operator that came before Resize. Version 1 was experimental and named height
// and width; scales were an attribute in 7, an input in 9. Deprecated since 10.
#include "ops/tensor/upsample/upsample.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Attr kMode = {.name = "mode", .type = ir::AttributeType::String, .def = def_string("nearest")};
constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs9[] = {{.name = "X", .type = "T"}, {.name = "scales", .type = "tensor(float)"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs1[] = {
    {.name = "height_scale", .type = ir::AttributeType::Float, .required = true},
    kMode,
    {.name = "width_scale", .type = ir::AttributeType::Float, .required = true},
};
constexpr Attr kAttrs7[] = {kMode, {.name = "scales", .type = ir::AttributeType::Floats, .required = true}};
constexpr Attr kAttrs9[] = {kMode};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64 | types::kIndex | types::kBool)}};
constexpr TypeConstraint kTypes7[] = {{"T", tensors(types::kAll)}};

constexpr Schema kUpsample[] = {
    {.since = 1,
     .inputs = kInputs1,
     .outputs = kOutputs,
     .attrs = kAttrs1,
     .types = kTypes1,
     .support = Support::Experimental},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs, .attrs = kAttrs7, .types = kTypes7},
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs, .attrs = kAttrs9, .types = kTypes7},
    {.since = 10, .inputs = kInputs9, .outputs = kOutputs, .attrs = kAttrs9, .types = kTypes7, .deprecated = true},
};

}  // namespace

constinit const Operator Upsample = {.name = "Upsample", .history = kUpsample};

void upsample_schemas(SchemaTable& table) { table.add(Upsample); }

}  // namespace norn::ops
