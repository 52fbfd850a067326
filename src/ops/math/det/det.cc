// Determinants of square matrices. Leading axes are a batch.
#include "ops/math/det/det.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kDet[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .types = kTypes11},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator Det = {.name = "Det", .history = kDet};

void det_schemas(SchemaTable& table) { table.add(Det); }

}  // namespace norn::ops
