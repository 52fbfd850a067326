// The trigonometric and hyperbolic functions and their inverses, element by element. Outside its domain a function
// gives NaN, not an error. The hyperbolic family came two versions after the others.
#include "ops/math/unary_trig/unary_trig.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace unary_trig_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes7[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kRows7[] = {
    {.since = 7, .inputs = kInputs, .outputs = kOutputs, .types = kTypes7},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .types = kTypes22, .same_meaning = true},
};

constexpr Schema kRows9[] = {
    {.since = 9, .inputs = kInputs, .outputs = kOutputs, .types = kTypes7},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .types = kTypes22, .same_meaning = true},
};

}  // namespace
}  // namespace unary_trig_cc

constinit const Operator Sin = {.name = "Sin", .history = kRows7, .infer = same_as_input, .elementwise = true};
constinit const Operator Cos = {.name = "Cos", .history = kRows7, .infer = same_as_input, .elementwise = true};
constinit const Operator Tan = {.name = "Tan", .history = kRows7, .infer = same_as_input, .elementwise = true};
constinit const Operator Asin = {.name = "Asin", .history = kRows7, .infer = same_as_input, .elementwise = true};
constinit const Operator Acos = {.name = "Acos", .history = kRows7, .infer = same_as_input, .elementwise = true};
constinit const Operator Atan = {.name = "Atan", .history = kRows7, .infer = same_as_input, .elementwise = true};
constinit const Operator Sinh = {.name = "Sinh", .history = kRows9, .infer = same_as_input, .elementwise = true};
constinit const Operator Cosh = {.name = "Cosh", .history = kRows9, .infer = same_as_input, .elementwise = true};
constinit const Operator Asinh = {.name = "Asinh", .history = kRows9, .infer = same_as_input, .elementwise = true};
constinit const Operator Acosh = {.name = "Acosh", .history = kRows9, .infer = same_as_input, .elementwise = true};
constinit const Operator Atanh = {.name = "Atanh", .history = kRows9, .infer = same_as_input, .elementwise = true};

void unary_trig_schemas(SchemaTable& table) {
  for (const Operator* op : {&Sin, &Cos, &Tan, &Asin, &Acos, &Atan, &Sinh, &Cosh, &Asinh, &Acosh, &Atanh})
    table.add(*op);
}

}  // namespace norn::ops
