// The Fourier transform of overlapping frames. Frame length is given, or is the window's. onesided is the default here,
// and cannot be for complex signals.
#include "ops/math/stft/stft.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "signal", .type = "T1", .diff = kNonDiff},
    {.name = "frame_step", .type = "T2", .diff = kNonDiff},
    {.name = "window", .type = "T1", .option = kOptional, .diff = kNonDiff},
    {.name = "frame_length", .type = "T2", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T1", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "onesided", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(types::kIndex)}};

constexpr Schema kSTFT[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator STFT = {.name = "STFT", .history = kSTFT};

void stft_schemas(SchemaTable& table) { table.add(STFT); }

}  // namespace norn::ops
