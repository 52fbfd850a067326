// Counts of n-grams, weighted or not. The pool holds all n-grams one after the other, by length; ngram_counts says
// where each length begins.
#include "ops/nn/tfidf_vectorizer/tfidf_vectorizer.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator TfIdfVectorizer = {.name = "TfIdfVectorizer", .history = kTfIdfVectorizer};

void tfidf_vectorizer_schemas(SchemaTable& table) { table.add(TfIdfVectorizer); }

}  // namespace norn::ops
