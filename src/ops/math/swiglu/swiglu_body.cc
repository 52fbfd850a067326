#include "ops/math/swiglu/swiglu.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kBodies[] = {
    {.since = 28, .opset = 28, .nodes = "{ gate = Swish <alpha: float = @alpha> (A) Y = Mul (gate, B) }"},
};

}  // namespace

void swiglu_bodies(opset::BodyTable& table) { table.add(SwiGLU, kBodies); }

}  // namespace norn::ops
