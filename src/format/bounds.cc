#include "format/bounds.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "norn/error.h"
#include "norn/types.h"

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

std::uint64_t bytes_in(const ir::Tensor& tensor) noexcept {
  // Elements of fewer bits than a byte share entries of one byte; an entry of a complex number is half of it.
  const std::int32_t type = tensor.data_type;
  const int bits = type > 0 && type < kDataTypeCount ? storage_bits(static_cast<DataType>(type)) : 0;
  const auto entries = [&](const auto& field) {
    const std::uint64_t width = sizeof(*field.data());
    const std::uint64_t element = bits == 0 ? width : static_cast<std::uint64_t>(std::max(bits / 8, 1));
    return field.size() * std::min(width, element);
  };
  std::uint64_t bytes = tensor.raw_data.get().size() + entries(tensor.float_data) + entries(tensor.int32_data) +
                        entries(tensor.int64_data) + entries(tensor.double_data) + entries(tensor.uint64_data);
  if (!tensor.string_data.empty())
    for (const ir::Bytes& text : tensor.string_data) bytes += text.size();
  return bytes;
}

}  // namespace norn::format
