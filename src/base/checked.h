// 64-bit arithmetic that reports overflow; sizes read from a file go through it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace norn::base {

inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}
inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r;
  return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}
inline std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}

inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t r;
  return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}
// The smallest multiple of `unit`, a power of two, that is not below `n`.
inline std::optional<std::uint64_t> checked_round_up(std::uint64_t n, std::uint64_t unit) noexcept {
  const auto sum = checked_add(n, unit - 1);
  return sum ? std::optional(*sum & ~(unit - 1)) : std::nullopt;
}

// Elements of a shape. Nothing if a dimension is negative or the product leaves 63 bits; a zero makes it zero whatever
// the others are.
inline std::optional<std::int64_t> checked_count(std::span<const std::int64_t> dims) noexcept {
  std::int64_t count = 1;
  bool overflow = false, zero = false;
  for (std::int64_t d : dims) {
    if (d < 0) return std::nullopt;
    zero |= d == 0;
    const auto product = checked_mul(count, d);
    if (product)
      count = *product;
    else
      overflow = true;
  }
  if (zero) return 0;
  return overflow ? std::nullopt : std::optional(count);
}

// ceil(count * bits / 8): what so many elements of a type take where narrow ones are packed. Nothing beyond 64 bits.
inline std::optional<std::uint64_t> packed_bytes(std::int64_t count, int bits) noexcept {
  const auto n = static_cast<std::uint64_t>(count), w = static_cast<std::uint64_t>(bits);
  const auto whole = checked_mul(n / 8, w);
  const std::uint64_t rest = (n % 8 * w + 7) / 8;
  if (!whole || *whole > UINT64_MAX - rest) return std::nullopt;
  return *whole + rest;
}

}  // namespace norn::base
