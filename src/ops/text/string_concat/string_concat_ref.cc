#include <string>

#include "ops/common/loops.h"
#include "ops/text/string_concat/string_concat.h"

namespace norn::ops {
inline namespace string_concat_ref_cc {
namespace {

void string_concat_ref(opset::ReferenceContext& ctx) {
  map_pairs<std::string, std::string, std::string>(ctx, DataType::String,
                                                   [](const std::string& x, const std::string& y) { return x + y; });
}

}  // namespace
}  // namespace string_concat_ref_cc

void string_concat_references(opset::ReferenceTable& table) { table.add(StringConcat, string_concat_ref); }

}  // namespace norn::ops
