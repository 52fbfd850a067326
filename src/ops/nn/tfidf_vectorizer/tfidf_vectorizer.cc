// Counts of n-grams, weighted or not. The pool holds all n-grams one after the other, by length; ngram_counts says
// where each length begins.
#include "ops/nn/tfidf_vectorizer/tfidf_vectorizer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace tfidf_vectorizer_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T1", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {
    {.name = "max_gram_length", .type = ir::AttributeType::Int, .required = true},
    {.name = "max_skip_count", .type = ir::AttributeType::Int, .required = true},
    {.name = "min_gram_length", .type = ir::AttributeType::Int, .required = true},
    {.name = "mode", .type = ir::AttributeType::String, .required = true},
    {.name = "ngram_counts", .type = ir::AttributeType::Ints, .required = true},
    {.name = "ngram_indexes", .type = ir::AttributeType::Ints, .required = true},
    {.name = "pool_int64s", .type = ir::AttributeType::Ints},
    {.name = "pool_strings", .type = ir::AttributeType::Strings},
    {.name = "weights", .type = ir::AttributeType::Floats},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(types::kIndex | types::kString)},
    {"T1", tensors(elems(DataType::Float))},
};

constexpr Schema kTfIdfVectorizer[] = {
    {.since = 9, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_tfidf_vectorizer(InferContext& ctx) {
  const TfIdfParams p = resolve_tfidf(ctx);
  if (ctx.elem(0) != DataType::Undefined && (ctx.elem(0) == DataType::String) != p.of_strings)
    ctx.fail(std::string("the pool holds ") + (p.of_strings ? "strings" : "integers") + ", but X is " +
             ctx.input(0).to_string());
  ctx.set(0, DataType::Float);
  if (!ctx.has_rank(0)) return;
  Dims dims = ctx.shape(0);
  if (dims.size() != 1 && dims.size() != 2) ctx.fail("X must have rank 1 or 2, not " + ctx.input(0).to_string());
  dims.back() = p.size;
  ctx.set(0, DataType::Float, std::move(dims));
}

}  // namespace
}  // namespace tfidf_vectorizer_cc

TfIdfParams resolve_tfidf(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  TfIdfParams p{.strings = attrs.find_strings("pool_strings").value_or(std::vector<std::string>{}),
                .ints = attrs.find_ints("pool_int64s").value_or(std::vector<std::int64_t>{}),
                .indexes = attrs.ints("ngram_indexes"),
                .weights = attrs.find_floats("weights").value_or(std::vector<float>{}),
                .grams = {},
                .max_skip = attrs.i("max_skip_count"),
                .of_strings = attrs.has("pool_strings")};
  if (p.of_strings == attrs.has("pool_int64s")) node.fail("exactly one of pool_strings and pool_int64s must be given");
  const std::string mode = attrs.s("mode");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    node.fail("mode must be TF, IDF or TFIDF, not " + base::quoted(mode));
  p.counted_once = mode == "IDF";
  if (mode == "TF") p.weights.clear();
  const std::int64_t shortest = attrs.i("min_gram_length"), longest = attrs.i("max_gram_length");
  if (shortest < 1 || longest < shortest)
    node.fail("n-grams of " + std::to_string(shortest) + " to " + std::to_string(longest) + " words cannot be counted");
  if (p.max_skip < 0) node.fail("max_skip_count must not be negative: " + std::to_string(p.max_skip));
  const auto begins = attrs.ints("ngram_counts");
  const auto total = static_cast<std::int64_t>(p.of_strings ? p.strings.size() : p.ints.size());
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::int64_t begin = begins[i], end = i + 1 < begins.size() ? begins[i + 1] : total;
    const auto length = static_cast<std::int64_t>(i) + 1;
    if (begin < (i == 0 ? 0 : begins[i - 1]) || end < begin || end > total)
      node.fail("ngram_counts does not divide a pool of " + std::to_string(total) + " in ascending order");
    if ((end - begin) % length != 0)
      node.fail("the pool's part of " + std::to_string(length) + "-grams has " + std::to_string(end - begin) +
                " words, which does not divide by " + std::to_string(length));
    for (std::int64_t at = begin; at < end; at += length)
      p.grams.push_back({at, length, length >= shortest && length <= longest});
  }
  if (p.indexes.size() != p.grams.size())
    node.fail("ngram_indexes has " + std::to_string(p.indexes.size()) + " entries for " +
              base::counted(p.grams.size(), "n-gram"));
  if (!p.weights.empty() && p.weights.size() != p.grams.size())
    node.fail("weights has " + std::to_string(p.weights.size()) + " entries for " +
              base::counted(p.grams.size(), "n-gram"));
  for (const std::int64_t index : p.indexes) {
    const auto size = base::checked_add(index, std::int64_t{1});
    if (index < 0 || !size) node.fail("ngram_indexes has " + std::to_string(index));
    p.size = std::max(p.size, *size);
  }
  return p;
}

constinit const Operator TfIdfVectorizer = {
    .name = "TfIdfVectorizer", .history = kTfIdfVectorizer, .infer = infer_tfidf_vectorizer};

void tfidf_vectorizer_schemas(SchemaTable& table) { table.add(TfIdfVectorizer); }

}  // namespace norn::ops
