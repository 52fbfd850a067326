// Cast through one number that is a double, an int64 or a uint64, so that no pair of types has code of its own.
//
// The traps are roundings that would happen twice. A 64-bit integer does not fit a double; on its way to a narrower
// format its low bits are therefore folded into one sticky bit (round to odd), after which the format's own rounding
// sees all it needs. The rules are at cast_elements().
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "ops/common/elements.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/cast/cast_elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace cast_ref_cc {
namespace {

struct Number {
  enum class Kind : std::uint8_t { Real, Signed, Unsigned } kind;
  double real = 0;
  std::int64_t i = 0;
  std::uint64_t u = 0;
};
Number of(double v) { return {.kind = Number::Kind::Real, .real = v}; }
Number of(std::int64_t v) { return {.kind = Number::Kind::Signed, .i = v}; }
Number of(std::uint64_t v) { return {.kind = Number::Kind::Unsigned, .u = v}; }

// Numbers to numbers:

// A double from which every format narrower than double rounds as from the integer itself.
double round_to_odd(std::uint64_t v) {
  if (v >> 53) {
    const int drop = 11 - __builtin_clzll(v);
    const std::uint64_t lost = v & ((std::uint64_t{1} << drop) - 1);
    v = (v >> drop | (lost != 0)) << drop;
  }
  return static_cast<double>(v);
}

double to_real(const Number& n, DataType to) {
  switch (n.kind) {
    case Number::Kind::Real: return n.real;
    case Number::Kind::Unsigned: return to == DataType::Double ? static_cast<double>(n.u) : round_to_odd(n.u);
    default: break;
  }
  if (to == DataType::Double) return static_cast<double>(n.i);
  return n.i < 0 ? -round_to_odd(0 - static_cast<std::uint64_t>(n.i)) : round_to_odd(static_cast<std::uint64_t>(n.i));
}

// The integer as 64 bits of two's complement, whose low bits are those of every narrower integer type.
std::uint64_t to_bits(const Number& n, DataType to) {
  if (n.kind == Number::Kind::Unsigned) return n.u;
  if (n.kind == Number::Kind::Signed) return static_cast<std::uint64_t>(n.i);
  const double v = std::trunc(n.real);
  if (std::isnan(v) || (std::isinf(v) && storage_bits(to) < 32)) return 0;
  if (to == DataType::Int32 || to == DataType::Int64) {
    const bool narrow = to == DataType::Int32;
    const double limit = narrow ? 0x1p31 : 0x1p63;
    if (v >= limit) return narrow ? 0x7fffffffu : std::numeric_limits<std::int64_t>::max();
    if (v < -limit)
      return static_cast<std::uint64_t>(narrow ? -0x80000000ll : std::numeric_limits<std::int64_t>::min());
  }
  if (v >= 0x1p64) return std::numeric_limits<std::uint64_t>::max();
  if (v < -0x1p63) return std::uint64_t{1} << 63;
  return v < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) : static_cast<std::uint64_t>(v);
}

bool is_nonzero(const Number& n) {
  if (n.kind == Number::Kind::Real) return n.real != 0;
  return n.kind == Number::Kind::Signed ? n.i != 0 : n.u != 0;
}

// E8M0 is a power of two from 2^-127 (code 0) to 2^127; it has no zero and no sign. The standard leaves negative values
// open; they become NaN.
std::uint8_t to_e8m0(double v, bool saturate, E8M0Rounding rounding) {
  constexpr std::uint8_t kNan = 0xff, kMin = 0, kMax = 0xfe;
  if (std::isnan(v) || v < 0) return kNan;
  if (v < 0x1p-127) return saturate ? kMin : kNan;
  if (std::isinf(v)) return saturate ? kMax : kNan;
  int exponent;
  const double fraction = std::frexp(v, &exponent);  // in [0.5, 1)
  const bool up = rounding == E8M0Rounding::Up ? fraction > 0.5 : rounding == E8M0Rounding::Nearest && fraction >= 0.75;
  const int code = exponent - 1 + up + 127;
  if (code > kMax) return saturate ? kMax : kNan;
  return static_cast<std::uint8_t>(code);
}

// Strings:

[[noreturn]] void not_a_number(std::string_view text, DataType to) {
  throw Error(ErrorCode::RuntimeError,
              "the string " + base::quoted(text) + " cannot be read as " + std::string(data_type_name(to)));
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                    [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y; });
}

template <class T>
bool reads_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// What a decimal numeral beyond double's range rounds to. Its magnitude is far from 1, so that the exponent of its
// first digit other than zero decides.
double out_of_range_value(std::string_view numeral) {
  const bool negative = numeral.starts_with('-');
  const std::size_t e = numeral.find_first_of("eE");
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = numeral.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    if (!reads_whole(digits, exponent)) exponent = digits.starts_with('-') ? -0x40000000ll : 0x40000000ll;
  }
  const std::string_view mantissa = numeral.substr(0, e);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
  const double value = exponent + point - first > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -value : value;
}

bool read_real(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) value = out_of_range_value(text);
  return true;
}

Number read_number(const std::string& string, DataType to) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  std::string_view text = string;
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  text = text.substr(0, text.find_last_not_of(kSpace) + 1);
  if (to == DataType::Bool) {
    if (equal_ignoring_case(text, "true")) return of(std::uint64_t{1});
    if (equal_ignoring_case(text, "false")) return of(std::uint64_t{0});
  }
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (domain_of(to) != Domain::F64) {
    std::int64_t i;
    std::uint64_t u;
    if (reads_whole(text, i)) return of(i);
    if (reads_whole(text, u)) return of(u);
  }
  double real;
  if (!read_real(text, real)) not_a_number(string, to);
  return of(real);
}

// Digits of |v| without point, and the exponent of the first one: the fewest that read back as the same element.
struct Decimal {
  std::string digits;
  int exponent;
};
Decimal shortest(double v, DataType type) {
  std::array<char, 64> buffer;
  char* const end = buffer.data() + buffer.size();
  std::to_chars_result written{};
  if (type == DataType::Double) {
    written = std::to_chars(buffer.data(), end, v, std::chars_format::scientific);
  } else if (type == DataType::Float || type == DataType::Float8E8M0) {
    written = std::to_chars(buffer.data(), end, static_cast<float>(v), std::chars_format::scientific);
  } else {
    const std::uint16_t code = base::double_to_small_float(type, v);
    for (int precision = 0; precision < 12; ++precision) {
      written = std::to_chars(buffer.data(), end, v, std::chars_format::scientific, precision);
      double read = 0;
      read_real({buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())}, read);
      if (base::double_to_small_float(type, read) == code) break;
    }
  }
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  Decimal decimal{std::string(text.substr(0, e)), 0};
  std::erase(decimal.digits, '.');
  while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  reads_whole(exponent, decimal.exponent);
  return decimal;
}

std::string write_real(double v, DataType type) {
  if (std::isnan(v)) return "nan";
  std::string text = std::signbit(v) ? "-" : "";
  v = std::fabs(v);
  if (std::isinf(v)) return text + "inf";
  if (v == 0) return text + "0.0";
  const auto [digits, exponent] = shortest(v, type);
  if (v < 1e-4 || v >= 1e16) {
    text += digits[0];
    if (digits.size() > 1) (text += '.').append(digits, 1);
    const std::string power = std::to_string(std::abs(exponent));
    return text + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0) return text + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return text + digits + std::string(whole - digits.size(), '0') + ".0";
  return text + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string write_number(const Number& n, DataType from) {
  if (from == DataType::Bool) return n.u ? "True" : "False";
  if (n.kind == Number::Kind::Real) return write_real(n.real, from);
  return n.kind == Number::Kind::Signed ? std::to_string(n.i) : std::to_string(n.u);
}

// Tensors:

template <class D>
void read_as(const Tensor& t, std::int64_t first, std::int64_t n, std::vector<Number>& numbers) {
  std::vector<D> values(static_cast<std::size_t>(n));
  load<D>(t, first, n, values.data());
  for (std::size_t k = 0; k < values.size(); ++k) numbers[k] = of(values[k]);
}

void read_chunk(const Tensor& from, DataType to, std::int64_t first, std::int64_t n, std::vector<Number>& numbers) {
  switch (domain_of(from.dtype())) {
    case Domain::F64: return read_as<double>(from, first, n, numbers);
    case Domain::I64: return read_as<std::int64_t>(from, first, n, numbers);
    case Domain::U64: return read_as<std::uint64_t>(from, first, n, numbers);
    default: break;
  }
  for (std::int64_t k = 0; k < n; ++k) {
    numbers[static_cast<std::size_t>(k)] = read_number(from.as<std::string>()[first + k], to);
  }
}

template <class D, class F>
void write_as(Tensor& t, std::int64_t first, std::int64_t n, const std::vector<Number>& numbers, F convert) {
  std::vector<D> values(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = convert(numbers[k]);
  store<D>(t, first, n, values.data());
}

void write_chunk(const std::vector<Number>& numbers, DataType from, Tensor& to, std::int64_t first, std::int64_t n,
                 bool saturate, E8M0Rounding rounding) {
  const DataType type = to.dtype();
  if (type == DataType::Bool) {
    return write_as<std::uint64_t>(to, first, n, numbers, [](const Number& v) { return is_nonzero(v) ? 1u : 0u; });
  }
  if (domain_of(type) == Domain::F64 && storage_bits(type) == 8) {
    auto* codes = to.as_mutable<std::uint8_t>() + first;
    for (std::int64_t k = 0; k < n; ++k) {
      const double v = to_real(numbers[static_cast<std::size_t>(k)], type);
      codes[k] = type == DataType::Float8E8M0
                     ? to_e8m0(v, saturate, rounding)
                     : static_cast<std::uint8_t>(base::double_to_small_float(type, v, saturate));
    }
    return;
  }
  switch (domain_of(type)) {
    case Domain::F64:
      return write_as<double>(to, first, n, numbers, [type](const Number& v) { return to_real(v, type); });
    case Domain::I64:
      return write_as<std::int64_t>(to, first, n, numbers,
                                    [type](const Number& v) { return static_cast<std::int64_t>(to_bits(v, type)); });
    case Domain::U64:
      return write_as<std::uint64_t>(to, first, n, numbers, [type](const Number& v) { return to_bits(v, type); });
    default:
      return write_as<std::string>(to, first, n, numbers, [from](const Number& v) { return write_number(v, from); });
  }
}

void cast_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const CastParams p = resolve_cast(ctx);
  cast_elements(x, ctx.output(0, p.to, x.dims()), p.saturate, p.rounding);
}

}  // namespace
}  // namespace cast_ref_cc

void cast_elements(const Tensor& from, Tensor& to, bool saturate, E8M0Rounding rounding) {
  for (const Tensor* t : {&from, &static_cast<const Tensor&>(to)}) {
    if (t->defined() && domain_of(t->dtype()) != Domain::Complex) continue;
    throw Error(ErrorCode::NotImplemented, "Cast has no rule for " + std::string(data_type_name(t->dtype())));
  }
  if (from.size() != to.size()) throw Error(ErrorCode::Internal, "cast_elements of tensors of different sizes");
  // An infinity of an 8-bit format saturates in that very format too.
  const bool as_it_is = !(saturate && domain_of(to.dtype()) == Domain::F64 && storage_bits(to.dtype()) == 8);
  if (from.dtype() == to.dtype() && as_it_is) return copy_elements(to, 0, from, 0, from.size());
  constexpr std::int64_t kChunk = 1024;
  std::vector<Number> numbers(kChunk, of(0.0));
  for (std::int64_t first = 0; first < from.size(); first += kChunk) {
    const std::int64_t n = std::min(kChunk, from.size() - first);
    read_chunk(from, to.dtype(), first, n, numbers);
    write_chunk(numbers, from.dtype(), to, first, n, saturate, rounding);
  }
}

void cast_references(opset::ReferenceTable& table) { table.add(Cast, cast_ref); }

}  // namespace norn::ops
