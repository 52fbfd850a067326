// How a function body refuses what its nodes would accept: a Reshape whose target is a valid shape only if a condition
// holds. Where sizes are known it is computed before the run, and a Reshape moves nothing.
#pragma once
#include <cstdint>
#include <string>

#include "opset/function_body.h"
#include "opset/refused_shape.h"

namespace norn::ops {

// `to` is `from`, of rank 1 or more, which is of the shape `shape` names if `holds`, a bool of one element, is true.
// Else the operator is said to ask for `to`, whose words are joined by underscores.
inline void add_guard(opset::BodyBuilder& b, const std::string& from, const std::string& shape,
                      const std::string& holds, const std::string& to) {
  const std::int64_t none[] = {opset::kRefusedSize};
  const std::string target = to + std::string(opset::kRefusedSuffix);
  b.ints(to + "_or_none", none);
  b.add(target + " = Where (" + holds + ", " + shape + ", " + to + "_or_none) " + to + " = Reshape <allowzero = 1> (" +
        from + ", " + target + ")");
}

// `to` is the tensor of integers `from`, or of what no axis has where one of them is below 0, for a Gather after it.
inline void add_index_guard(opset::BodyBuilder& b, const std::string& from, DataType type, const std::string& to) {
  b.scalar(to + "_first", type, 0);
  if (type == DataType::Int32)
    b.add(to + "_beyond = Constant <value = int32 {2147483647}> ()");
  else
    b.add(to + "_beyond = Constant <value = int64 {9223372036854775807}> ()");
  b.add(to + "_wraps = Less (" + from + ", " + to + "_first) " + to + " = Where (" + to + "_wraps, " + to +
        "_beyond, " + from + ")");
}

}  // namespace norn::ops
