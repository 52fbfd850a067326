#include "format/bounds.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "norn/error.h"

namespace norn::format {

Bounds::Bounds(std::size_t input_bytes, const Limits& limits)
    : limits_(limits), max_depth_(std::clamp(limits.max_depth, 1, 1000)) {
  if (input_bytes > limits.max_bytes)
    throw Error(ErrorCode::LimitExceeded, "the input has " + std::to_string(input_bytes) +
                                              " bytes, more than the limit max_bytes (" +
                                              std::to_string(limits.max_bytes) + ")");
}

void Bounds::too_deep(std::string where) const {
  throw Error(ErrorCode::LimitExceeded,
              "messages are nested deeper than " + base::counted(static_cast<std::size_t>(max_depth_), "level") +
                  " (limit max_depth)",
              std::move(where));
}

void Bounds::too_many_nodes(std::string where) const {
  throw Error(ErrorCode::LimitExceeded, "more than " + std::to_string(limits_.max_nodes) + " nodes (limit max_nodes)",
              std::move(where));
}

void Bounds::too_large(std::uint64_t bytes, const char* name, std::string where) const {
  throw Error(ErrorCode::LimitExceeded,
              std::string(name) + " has " + std::to_string(bytes) + " bytes, more than the limit max_tensor_bytes (" +
                  std::to_string(limits_.max_tensor_bytes) + ")",
              std::move(where));
}

}  // namespace norn::format
