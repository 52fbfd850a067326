// Two tensors of strings joined, element by element. Both sides broadcast.
#include "ops/text/string_concat/string_concat.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace string_concat_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T", .diff = kNonDiff},
    {.name = "Y", .type = "T", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "Z", .type = "T", .diff = kNonDiff}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kString)}};

constexpr Schema kStringConcat[] = {
    {.since = 20, .inputs = kInputs, .outputs = kOutputs, .types = kTypes},
};

void infer_string_concat(InferContext& ctx) { infer_pairs(ctx, DataType::String); }

}  // namespace
}  // namespace string_concat_cc

constinit const Operator StringConcat = {
    .name = "StringConcat", .history = kStringConcat, .infer = infer_string_concat};

void string_concat_schemas(SchemaTable& table) { table.add(StringConcat); }

}  // namespace norn::ops
