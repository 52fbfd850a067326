// The slices that a list of booleans chooses. Without an axis the input is flattened. The list may be shorter than the
// axis. Negative axes came with 11.
#include "ops/tensor/compress/compress.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs9[] = {{.name = "input", .type = "T"}, {.name = "condition", .type = "T1"}};
constexpr Param kInputs11[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "condition", .type = "T1", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs9[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kAll)}, {"T1", tensors(types::kBool)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kAllBf)}, {"T1", tensors(types::kBool)}};

constexpr Schema kCompress[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs, .types = kTypes9},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes9},
    {.since = 28, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

}  // namespace

constinit const Operator Compress = {.name = "Compress", .history = kCompress};

void compress_schemas(SchemaTable& table) { table.add(Compress); }

}  // namespace norn::ops
