// Strings cut at a delimiter. Without a delimiter runs of white space count as one. Shorter rows are filled with empty
// strings.
#include "ops/text/string_split/string_split.h"

#include <utility>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace string_split_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {{.name = "X", .type = "T1", .diff = kNonDiff}};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T2", .diff = kNonDiff},
    {.name = "Z", .type = "T3", .diff = kNonDiff},
};
constexpr Attr kAttrs[] = {
    {.name = "delimiter", .type = ir::AttributeType::String},
    {.name = "maxsplit", .type = ir::AttributeType::Int},
};
constexpr TypeConstraint kTypes[] = {
    {"T1", tensors(types::kString)},
    {"T2", tensors(types::kString)},
    {"T3", tensors(elems(DataType::Int64))},
};

constexpr Schema kStringSplit[] = {
    {.since = 20, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_string_split(InferContext& ctx) {
  ctx.set(0, DataType::String);
  ctx.set(1, DataType::Int64);
  if (!ctx.has_rank(0)) return;
  Dims dims = ctx.shape(0);
  ctx.set(1, DataType::Int64, dims);
  dims.push_back(ctx.fresh_dim("the number of substrings follows from the strings"));
  ctx.set(0, DataType::String, std::move(dims));
}

}  // namespace
}  // namespace string_split_cc

constinit const Operator StringSplit = {.name = "StringSplit", .history = kStringSplit, .infer = infer_string_split};

void string_split_schemas(SchemaTable& table) { table.add(StringSplit); }

}  // namespace norn::ops
