// Division where loops do little else. Many CPUs (Intel's before Ice Lake, AMD's before Zen 3) take 40 to 90 cycles for
// a quotient of 64 bits and about 25 for one of 32 bits, and compilers do not look which of them would do.
#pragma once
#include <cstdint>

namespace norn::base {

// a / b, as the language divides. b must not be 0.
inline std::int64_t quotient(std::int64_t a, std::int64_t b) noexcept {
  if (static_cast<std::uint64_t>(a | b) >> 32 == 0)
    return static_cast<std::int64_t>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
  return a / b;
}

// How many pieces of at most b there are in a. a must not be below 0, b not below 1, and their sum has to fit.
inline std::int64_t quotient_up(std::int64_t a, std::int64_t b) noexcept { return quotient(a + b - 1, b); }

// a / b and a % b.
struct Division {
  std::int64_t quotient, rest;
};
inline Division divide(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t q = quotient(a, b);
  return {q, a - q * b};
}

// Part `i` of `parts` nearly equal ones of [0, units). units * parts has to fit.
struct Part {
  std::int64_t begin, end;
};
inline Part part_of(std::int64_t units, std::int64_t parts, std::int64_t i) noexcept {
  if (parts == 1) return {units * i, units * (i + 1)};
  return {quotient(units * i, parts), quotient(units * (i + 1), parts)};
}

}  // namespace norn::base
