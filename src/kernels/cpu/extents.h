// Bounds of sizes. The sizes of a configuration come from files and may be any 64-bit number; a candidate refuses what
// passes these bounds, so that products and sums of its sizes, in bytes, padded, or as positions of pieces of work,
// stay far within 63 bits wherever they are computed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "base/checked.h"
#include "kernels/kernel.h"

namespace norn::kernels {

// Elements of a tensor, distances in it, and other numbers: more than any memory holds.
inline constexpr std::int64_t kMostExtent = std::int64_t{1} << 47;

// The product, a factor below 1 counting as 1 (strides of empty tensors are computed too), or nothing beyond `most`.
inline std::optional<std::int64_t> bounded_product(std::span<const std::int64_t> factors,
                                                   std::int64_t most = kMostExtent) {
  std::int64_t product = 1;
  for (std::int64_t f : factors) {
    const auto next = base::checked_mul(product, std::max<std::int64_t>(f, 1));
    if (!next || *next > most) return std::nullopt;
    product = *next;
  }
  return product;
}
inline std::optional<std::int64_t> bounded_product(std::initializer_list<std::int64_t> factors,
                                                   std::int64_t most = kMostExtent) {
  return bounded_product(std::span(factors.begin(), factors.size()), most);
}

// "" if the dims of each tensor are none below 0 and their product is bounded.
inline std::string extent_refusal(std::span<const std::int64_t> dims) {
  for (std::int64_t d : dims)
    if (d < 0) return "a negative dimension";
  return bounded_product(dims) ? "" : "a tensor larger than any memory";
}
inline std::string extent_refusal(std::initializer_list<const Shape*> tensors) {
  for (const Shape* dims : tensors)
    if (std::string why = extent_refusal(std::span(*dims)); !why.empty()) return why;
  return "";
}
inline std::string extent_refusal(const std::vector<ExtraOperand>& operands) {
  for (const ExtraOperand& e : operands)
    if (std::string why = extent_refusal(std::span(e.dims)); !why.empty()) return why;
  return "";
}

// Whether each is at most kMostExtent from 0: strides, pads and the like.
inline bool bounded(std::span<const std::int64_t> numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](std::int64_t n) { return n >= -kMostExtent && n <= kMostExtent; });
}

}  // namespace norn::kernels
