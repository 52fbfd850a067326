// Strings cut into tokens, along a new last axis that is as long as the longest row; shorter rows are filled with
// `pad_value`.
#include "ops/microsoft/tokenizer/tokenizer.h"

#include <utility>

#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace tokenizer_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "mark", .type = ir::AttributeType::Int, .required = true},
    {.name = "mincharnum", .type = ir::AttributeType::Int, .required = true},
    {.name = "pad_value", .type = ir::AttributeType::String, .required = true},
    {.name = "separators", .type = ir::AttributeType::Strings},
    {.name = "tokenexp", .type = ir::AttributeType::String},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kString)}};

constexpr Schema kTokenizer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_tokenizer(InferContext& ctx) {
  resolve_tokenizer(ctx);
  ctx.set(0, DataType::String);
  if (!ctx.has_rank(0)) return;
  Dims dims = ctx.shape(0);
  if (dims.empty() || dims.size() > 2)
    ctx.fail("X has to be a list or a table of strings, not of shape " + to_string(dims));
  dims.push_back(ctx.fresh_dim("the number of tokens follows from the strings"));
  ctx.set(0, DataType::String, std::move(dims));
}

}  // namespace
}  // namespace tokenizer_cc

TokenizerParams resolve_tokenizer(const NodeView& node) {
  TokenizerParams p{node.attrs().i("mincharnum"), node.attrs().find_s("tokenexp"), {}};
  auto separators = node.attrs().find_strings("separators");
  if (separators.has_value() == p.token.has_value())
    node.fail("exactly one of the attributes separators and tokenexp has to be there");
  if (p.least < 1) node.fail("mincharnum has to be 1 at least");
  if (p.token) return p;
  p.separators = *std::move(separators);
  p.by_character = p.separators.size() == 1 && p.separators[0].empty();
  if (p.by_character) {
    if (p.least > 1) node.fail("mincharnum is " + std::to_string(p.least) + ", but each character is to be a token");
    p.separators.clear();
  }
  for (const std::string& separator : p.separators)
    if (separator.empty()) node.fail("an empty separator stands alone, where each character is to be a token");
  return p;
}

constinit const Operator Tokenizer = {
    .domain = kMicrosoftDomain, .name = "Tokenizer", .history = kTokenizer, .infer = infer_tokenizer};

}  // namespace microsoft

void tokenizer_schemas(opset::SchemaTable& table) { table.add(microsoft::Tokenizer); }

}  // namespace norn::ops
