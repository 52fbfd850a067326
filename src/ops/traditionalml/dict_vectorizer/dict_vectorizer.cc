// A map's values in the order of a vocabulary. Keys that are not there give zero.
#include "ops/traditionalml/dict_vectorizer/dict_vectorizer.h"

#include <string>

#include "ops/common/scores.h"

namespace norn::ops {
inline namespace dict_vectorizer_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "int64_vocabulary", .type = ir::AttributeType::Ints},
    {.name = "string_vocabulary", .type = ir::AttributeType::Strings},
};
constexpr TypeConstraint kTypes[] = {
    {"T1",
     maps(kMapInt64Double | kMapInt64Float | kMapInt64String | kMapStringDouble | kMapStringFloat | kMapStringInt64)},
    {"T2", tensors(types::kString | elems(DataType::Double, DataType::Float, DataType::Int64))},
};

constexpr Schema kDictVectorizer[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_dict_vectorizer(InferContext& ctx) {
  const ValueType& map = ctx.input(0);
  const Labels vocabulary = resolve_dict_vectorizer(ctx, map.elem);
  if (map.element) ctx.set(0, map.element->elem, {vocabulary.size()});
}

}  // namespace
}  // namespace dict_vectorizer_cc

Labels resolve_dict_vectorizer(const NodeView& node, DataType keys) {
  Labels vocabulary = resolve_labels(node, "int64_vocabulary", "string_vocabulary");
  if (keys != DataType::Undefined && keys != vocabulary.type())
    node.fail("the vocabulary is of " + std::string(data_type_name(vocabulary.type())) + ", but the map's keys are " +
              std::string(data_type_name(keys)));
  return vocabulary;
}

constinit const Operator DictVectorizer = {
    .domain = "ai.onnx.ml", .name = "DictVectorizer", .history = kDictVectorizer, .infer = infer_dict_vectorizer};

void dict_vectorizer_schemas(SchemaTable& table) { table.add(DictVectorizer); }

}  // namespace norn::ops
