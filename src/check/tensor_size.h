// How much a tensor holds, from its dims and type alone.
#pragma once
#include <cstdint>
#include <optional>

#include "base/checked.h"
#include "ir/model.h"
#include "norn/types.h"

namespace norn::checks {

// Elements that this message holds: all of the tensor's, or those of its segment. Nothing if that is not known.
inline std::optional<std::int64_t> held_elements(const ir::Tensor& tensor) noexcept {
  const auto all = base::checked_count(tensor.dims);
  if (!all || !tensor.segment) return all;
  const std::int64_t begin = tensor.segment->begin, end = tensor.segment->end;
  if (begin < 0 || end < begin || end > *all) return std::nullopt;
  return end - begin;
}

inline std::optional<DataType> known_type(const ir::Tensor& tensor) noexcept {
  const std::int32_t type = tensor.data_type;
  return type > 0 && type < kDataTypeCount ? std::optional(static_cast<DataType>(type)) : std::nullopt;
}

}  // namespace norn::checks
