// Strings to numbers or numbers to strings, by a table.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CategoryMapper;

struct CategoryMapperParams {
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
};
CategoryMapperParams resolve_category_mapper(const opset::NodeView& node);

}  // namespace norn::ops
