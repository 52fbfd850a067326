// Windows for spectral analysis. periodic = 1 divides by the size, 0 by the size less one.
#include "ops/math/window_function/window_function.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {{.name = "size", .type = "T1", .diff = kNonDiff}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {
    {.name = "output_datatype", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "periodic", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kIndex)}, {"T2", tensors(types::kNumericBf)}};

constexpr Schema kRows[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator BlackmanWindow = {.name = "BlackmanWindow", .history = kRows};
constinit const Operator HammingWindow = {.name = "HammingWindow", .history = kRows};
constinit const Operator HannWindow = {.name = "HannWindow", .history = kRows};

void window_function_schemas(SchemaTable& table) {
  for (const Operator* op : {&BlackmanWindow, &HammingWindow, &HannWindow}) table.add(*op);
}

}  // namespace norn::ops
