// Which strings match a regular expression as a whole. The syntax is RE2's.
#include "ops/text/regex_full_match/regex_full_match.h"

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace regex_full_match_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {{.name = "X", .type = "T1", .diff = kNonDiff}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T2", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "pattern", .type = ir::AttributeType::String}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kString)}, {"T2", tensors(types::kBool)}};

constexpr Schema kRegexFullMatch[] = {
    {.since = 20, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_regex_full_match(InferContext& ctx) {
  ctx.attrs().s("pattern");
  if (ctx.has_rank(0))
    ctx.set(0, DataType::Bool, ctx.shape(0));
  else
    ctx.set(0, DataType::Bool);
}

}  // namespace
}  // namespace regex_full_match_cc

constinit const Operator RegexFullMatch = {
    .name = "RegexFullMatch", .history = kRegexFullMatch, .infer = infer_regex_full_match};

void regex_full_match_schemas(SchemaTable& table) { table.add(RegexFullMatch); }

}  // namespace norn::ops
