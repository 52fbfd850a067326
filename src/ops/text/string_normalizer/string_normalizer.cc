// Stop words removed and case changed. Rank is 1, or 2 with one row. Where every word is removed one empty string is
// left.
#include "ops/text/string_normalizer/string_normalizer.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator StringNormalizer = {.name = "StringNormalizer", .history = kStringNormalizer};

void string_normalizer_schemas(SchemaTable& table) { table.add(StringNormalizer); }

}  // namespace norn::ops
