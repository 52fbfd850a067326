// How much a tensor holds, from its dims and type alone, with arithmetic that cannot overflow.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/checked.h"
#include "ir/model.h"
#include "norn/types.h"

namespace norn::checks {

// Nothing if a dimension is negative or the product leaves 63 bits. A zero makes it zero whatever the others are.
inline std::optional<std::int64_t> count_of(const std::vector<std::int64_t>& dims) noexcept {
  std::int64_t count = 1;
  bool overflow = false, zero = false;
  for (std::int64_t d : dims) {
    if (d < 0) return std::nullopt;
    zero |= d == 0;
    const auto product = base::checked_mul(count, d);
    if (product)
      count = *product;
    else
      overflow = true;
  }
  if (zero) return 0;
  return overflow ? std::nullopt : std::optional(count);
}

// Elements that this message holds: all of the tensor's, or those of its segment. Nothing if that is not known.
inline std::optional<std::int64_t> held_elements(const ir::Tensor& tensor) noexcept {
  const auto all = count_of(tensor.dims);
  if (!all || !tensor.segment) return all;
  const std::int64_t begin = tensor.segment->begin, end = tensor.segment->end;
  if (begin < 0 || end < begin || end > *all) return std::nullopt;
  return end - begin;
}

inline std::optional<DataType> known_type(const ir::Tensor& tensor) noexcept {
  const std::int32_t type = tensor.data_type;
  return type > 0 && type < kDataTypeCount ? std::optional(static_cast<DataType>(type)) : std::nullopt;
}

// ceil(count * bits / 8); nothing beyond 64 bits.
inline std::optional<std::uint64_t> packed_bytes(std::int64_t count, int bits) noexcept {
  const auto n = static_cast<std::uint64_t>(count), w = static_cast<std::uint64_t>(bits);
  const auto whole = base::checked_mul(n / 8, w);
  const std::uint64_t rest = (n % 8 * w + 7) / 8;
  if (!whole || *whole > UINT64_MAX - rest) return std::nullopt;
  return *whole + rest;
}

}  // namespace norn::checks
