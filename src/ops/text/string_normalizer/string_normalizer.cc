// Stop words removed and case changed. Rank is 1, or 2 with one row. Where every word is removed one empty string is
// left.
#include "ops/text/string_normalizer/string_normalizer.h"

#include <utility>

#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace string_normalizer_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "tensor(string)"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(string)"}};
constexpr Attr kAttrs[] = {
    {.name = "case_change_action", .type = ir::AttributeType::String, .def = def_string("NONE")},
    {.name = "is_case_sensitive", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "locale", .type = ir::AttributeType::String},
    {.name = "stopwords", .type = ir::AttributeType::Strings},
};

constexpr Schema kStringNormalizer[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs},
};

// How many words are left is known only if none can be removed.
void infer_string_normalizer(InferContext& ctx) {
  const StringNormalizerParams p = resolve_string_normalizer(ctx);
  ctx.set(0, DataType::String);
  if (!ctx.has_rank(0)) return;
  Dims dims = ctx.shape(0);
  if (dims.size() == 2) dims[0] = 1;
  if (!p.stopwords.empty()) dims.back() = ctx.fresh_dim("the number of words that are not stop words follows from X");
  ctx.set(0, DataType::String, std::move(dims));
}

}  // namespace
}  // namespace string_normalizer_cc

StringNormalizerParams resolve_string_normalizer(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  StringNormalizerParams p{.stopwords = attrs.find_strings("stopwords").value_or(std::vector<std::string>{}),
                           .case_sensitive = attrs.flag("is_case_sensitive")};
  const std::string action = attrs.s("case_change_action");
  if (action == "LOWER")
    p.action = CaseChange::Lower;
  else if (action == "UPPER")
    p.action = CaseChange::Upper;
  else if (action != "NONE")
    node.fail("case_change_action must be LOWER, UPPER or NONE, not " + base::quoted(action));
  if (const auto x = node.known_shape(0)) {
    if (x->size() != 1 && x->size() != 2) node.fail("X must have rank 1 or 2, not shape " + to_string(*x));
    if (x->size() == 2) node.unify(x->front(), 1, "the rows of X and 1");
    if (x->back() == DimExpr(0)) node.fail("X must not be empty");
  }
  return p;
}

constinit const Operator StringNormalizer = {
    .name = "StringNormalizer", .history = kStringNormalizer, .infer = infer_string_normalizer};

void string_normalizer_schemas(SchemaTable& table) { table.add(StringNormalizer); }

}  // namespace norn::ops
