// A map's values in the order of a vocabulary. Keys that are not there give zero.
#include "ops/traditionalml/dict_vectorizer/dict_vectorizer.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator DictVectorizer = {
    .domain = "ai.onnx.ml", .name = "DictVectorizer", .history = kDictVectorizer};

void dict_vectorizer_schemas(SchemaTable& table) { table.add(DictVectorizer); }

}  // namespace norn::ops
