// Derivatives of a value with respect to other values, as a node of the graph. xs and zs name the inputs and the
// constants, y the value: names in the graph around the node.
#include "ops/training/gradient/gradient.h"

namespace norn::ops {
inline namespace gradient_cc {
namespace {

using namespace opset;

constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kInputs[] = {{.name = "Inputs", .type = "T1", .option = kVariadic, .homogeneous = false}};
constexpr Param kOutputs[] = {{.name = "Outputs", .type = "T2", .option = kVariadic, .homogeneous = false}};
constexpr Attr kAttrs[] = {
    {.name = "xs", .type = ir::AttributeType::Strings, .required = true},
    {.name = "y", .type = ir::AttributeType::String, .required = true},
    {.name = "zs", .type = ir::AttributeType::Strings},
};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kAll)}, {"T2", tensors(types::kFloat16To64)}};

constexpr Schema kGradient[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace
}  // namespace gradient_cc

constinit const Operator Gradient = {.domain = "ai.onnx.preview.training", .name = "Gradient", .history = kGradient};

void gradient_schemas(SchemaTable& table) { table.add(Gradient); }

}  // namespace norn::ops
