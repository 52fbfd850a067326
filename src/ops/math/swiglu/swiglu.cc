// The gated linear unit of transformers: swish of the gate, times the value. Gate and value are two inputs of one
// shape; nothing broadcasts.
#include "ops/math/swiglu/swiglu.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "A", .type = "T", .diff = kDiff}, {.name = "B", .type = "T", .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.0f)}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kSwiGLU[] = {
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator SwiGLU = {.name = "SwiGLU", .history = kSwiGLU};

void swiglu_schemas(SchemaTable& table) { table.add(SwiGLU); }

}  // namespace norn::ops
