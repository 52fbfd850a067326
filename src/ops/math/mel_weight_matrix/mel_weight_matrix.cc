// The matrix from spectrum bins to mel bands. Bands are triangles, equal in mel; all five inputs are scalars.
#include "ops/math/mel_weight_matrix/mel_weight_matrix.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "num_mel_bins", .type = "T1", .diff = kNonDiff},
    {.name = "dft_length", .type = "T1", .diff = kNonDiff},
    {.name = "sample_rate", .type = "T1", .diff = kNonDiff},
    {.name = "lower_edge_hertz", .type = "T2", .diff = kNonDiff},
    {.name = "upper_edge_hertz", .type = "T2", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T3", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "output_datatype", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes[] = {
    {"T1", tensors(types::kIndex)},
    {"T2", tensors(types::kFloats)},
    {"T3", tensors(types::kNumericBf)},
};

constexpr Schema kMelWeightMatrix[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator MelWeightMatrix = {.name = "MelWeightMatrix", .history = kMelWeightMatrix};

void mel_weight_matrix_schemas(SchemaTable& table) { table.add(MelWeightMatrix); }

}  // namespace norn::ops
