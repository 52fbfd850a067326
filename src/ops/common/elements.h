// Reading and writing elements of any type through five domains: double, int64, uint64, complex<double>, std::string.
//
// A reference kernel is written once per domain it can occur in (often just double and the two integers) and works for
// all 28 element types. Widening is exact. Narrowing rounds once, from double: to nearest even for floating formats
// (saturating where the format has no infinity), modulo 2^n for integers.
#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "norn/error.h"
#include "norn/types.h"
#include "norn/value.h"

namespace norn::ops {

enum class Domain : std::uint8_t { F64, I64, U64, Complex, String };

// Floating types are F64; signed integers I64; unsigned integers and Bool U64.
Domain domain_of(DataType type);

template <class D>
concept DomainType = std::is_same_v<D, double> || std::is_same_v<D, std::int64_t> || std::is_same_v<D, std::uint64_t> ||
                     std::is_same_v<D, std::complex<double>> || std::is_same_v<D, std::string>;

// Elements [first, first + n) of a tensor whose domain is D's.
template <DomainType D>
void load(const Tensor& tensor, std::int64_t first, std::int64_t n, D* to);
template <DomainType D>
void store(Tensor& tensor, std::int64_t first, std::int64_t n, const D* from);

// The whole tensor.
template <DomainType D>
std::vector<D> load_all(const Tensor& tensor) {
  std::vector<D> values(static_cast<std::size_t>(tensor.size()));
  load<D>(tensor, 0, tensor.size(), values.data());
  return values;
}
template <DomainType D>
void store_all(Tensor& tensor, const std::vector<D>& values) {
  store<D>(tensor, 0, tensor.size(), values.data());
}

// Calls f(D{}) with a value of the domain's C++ type.
template <class F>
decltype(auto) visit_domain(Domain domain, F&& f) {
  switch (domain) {
    case Domain::F64: return f(double{});
    case Domain::I64: return f(std::int64_t{});
    case Domain::U64: return f(std::uint64_t{});
    case Domain::Complex: return f(std::complex<double>{});
    default: return f(std::string{});
  }
}
// As above for the three real domains; throws norn::Error (Internal) for the others.
template <class F>
decltype(auto) visit_real(Domain domain, F&& f) {
  switch (domain) {
    case Domain::F64: return f(double{});
    case Domain::I64: return f(std::int64_t{});
    case Domain::U64: return f(std::uint64_t{});
    default: throw Error(ErrorCode::Internal, "a real element type was expected");
  }
}

// Sums, differences and products in a real domain: those of integers are taken modulo 2^64.
template <class D>
using Unsigned = std::conditional_t<std::is_same_v<D, double>, double, std::uint64_t>;
template <class D>
D plus(D a, D b) {
  return static_cast<D>(static_cast<Unsigned<D>>(a) + static_cast<Unsigned<D>>(b));
}
template <class D>
D minus(D a, D b) {
  return static_cast<D>(static_cast<Unsigned<D>>(a) - static_cast<Unsigned<D>>(b));
}
template <class D>
D times(D a, D b) {
  return static_cast<D>(static_cast<Unsigned<D>>(a) * static_cast<Unsigned<D>>(b));
}

// Numbers of any real type as doubles, to which 64-bit integers are rounded.
std::vector<double> load_numbers(const Tensor& tensor);

// Integers of an int32 or int64 tensor (shapes, axes, indices).
std::vector<std::int64_t> to_ints(const Tensor& tensor);

// One element: a zero, false or an empty string.
Tensor zero_of(DataType type);

// Rounds to what the element type can hold and back: the intermediate rounding that some operators prescribe.
double round_to(DataType type, double value);

// Moves elements by size, without interpreting them; strings are copied as objects.
// dst[dst_first + k] = src[src_first + k*src_stride] for k in [0, n)
void copy_elements(Tensor& dst, std::int64_t dst_first, const Tensor& src, std::int64_t src_first, std::int64_t n,
                   std::int64_t src_stride = 1);

// dst[dst_first + k * length + i] = src[src_first + at[k] * length + i] for i in [0, length)
void copy_picked(Tensor& dst, std::int64_t dst_first, const Tensor& src, std::int64_t src_first,
                 std::span<const std::int64_t> at, std::int64_t length = 1);

// Fills `dst`: its elements in row-major order are those that lie in `src` at `first` and, for each of dst's
// dimensions, `strides` further on.
void copy_strided(Tensor& dst, const Tensor& src, std::int64_t first, std::vector<std::int64_t> strides);

}  // namespace norn::ops
