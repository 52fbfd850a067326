// The discrete Fourier transform along an axis. The last axis holds real numbers (1) or pairs (2). `axis` was an
// attribute and became an input with 20.
#include "ops/math/dft/dft.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInput = {.name = "input", .type = "T1", .diff = kNonDiff};
constexpr Param kDftLength = {.name = "dft_length", .type = "T2", .option = kOptional, .diff = kNonDiff};
constexpr Attr kInverse = {.name = "inverse", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kOnesided = {.name = "onesided", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Param kInputs17[] = {kInput, kDftLength};
constexpr Param kInputs20[] = {
    kInput,
    kDftLength,
    {.name = "axis", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T1"}};
constexpr Attr kAttrs17[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)},
    kInverse,
    kOnesided,
};
constexpr Attr kAttrs20[] = {kInverse, kOnesided};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(types::kIndex)}};

constexpr Schema kDFT[] = {
    {.since = 17, .inputs = kInputs17, .outputs = kOutputs, .attrs = kAttrs17, .types = kTypes},
    {.since = 20, .inputs = kInputs20, .outputs = kOutputs, .attrs = kAttrs20, .types = kTypes},
};

}  // namespace

constinit const Operator DFT = {.name = "DFT", .history = kDFT};

void dft_schemas(SchemaTable& table) { table.add(DFT); }

}  // namespace norn::ops
