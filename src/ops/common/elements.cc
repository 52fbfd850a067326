// One switch per domain and direction. Conversions of doubles go through casts that round to nearest even (the default
// rounding mode, which nothing here changes); small formats go through base/number.h, which rounds once.
#include "ops/common/elements.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/number.h"
#include "ops/common/shapes.h"

namespace norn::ops {
namespace {

[[noreturn]] void wrong_domain(DataType type, const char* wanted) {
  throw Error(ErrorCode::Internal, "elements of type " + std::string(data_type_name(type)) + " are not " + wanted);
}

void check_range(const Tensor& t, std::int64_t first, std::int64_t n) {
  if (first < 0 || n < 0 || first > t.size() - n) {
    throw Error(ErrorCode::Internal, "elements [" + std::to_string(first) + ", " + std::to_string(first) + " + " +
                                         std::to_string(n) + ") of a tensor of " + std::to_string(t.size()));
  }
}

template <class T, class D>
void widen(const Tensor& t, std::int64_t first, std::int64_t n, D* to) {
  const T* p = t.as<T>() + first;
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<D>(p[i]);
}
template <class T, class D>
void narrow(Tensor& t, std::int64_t first, std::int64_t n, const D* from) {
  T* p = t.as_mutable<T>() + first;
  for (std::int64_t i = 0; i < n; ++i) p[i] = static_cast<T>(from[i]);
}

// The low `bits` bits as an integer of two's complement.
std::int8_t sign_extend(std::int64_t value, int bits) {
  const auto low = static_cast<std::uint64_t>(value) << (64 - bits);
  return static_cast<std::int8_t>(static_cast<std::int64_t>(low) >> (64 - bits));
}

bool is_small_float(DataType type) { return domain_of(type) == Domain::F64 && element_size(type) <= 2; }

}  // namespace

Domain domain_of(DataType type) {
  switch (type) {
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::Int4:
    case DataType::Int2: return Domain::I64;
    case DataType::Uint8:
    case DataType::Uint16:
    case DataType::Uint32:
    case DataType::Uint64:
    case DataType::Uint4:
    case DataType::Uint2:
    case DataType::Bool: return Domain::U64;
    case DataType::Complex64:
    case DataType::Complex128: return Domain::Complex;
    case DataType::String: return Domain::String;
    case DataType::Undefined: wrong_domain(type, "defined");
    default: return Domain::F64;
  }
}

template <>
void load<double>(const Tensor& t, std::int64_t first, std::int64_t n, double* to) {
  check_range(t, first, n);
  const DataType type = t.dtype();
  if (type == DataType::Float) return widen<float>(t, first, n, to);
  if (type == DataType::Double) return widen<double>(t, first, n, to);
  if (!is_small_float(type)) wrong_domain(type, "floating-point");
  if (element_size(type) == 2) {
    const auto* p = t.as<std::uint16_t>() + first;
    if (type == DataType::Float16) {
      for (std::int64_t i = 0; i < n; ++i) to[i] = base::half_to_float(p[i]);
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) to[i] = base::small_float_to_float(type, p[i]);
  } else {
    const auto* p = t.as<std::uint8_t>() + first;
    for (std::int64_t i = 0; i < n; ++i) to[i] = base::small_float_to_float(type, p[i]);
  }
}

template <>
void store<double>(Tensor& t, std::int64_t first, std::int64_t n, const double* from) {
  check_range(t, first, n);
  const DataType type = t.dtype();
  if (type == DataType::Float) return narrow<float>(t, first, n, from);
  if (type == DataType::Double) return narrow<double>(t, first, n, from);
  if (!is_small_float(type)) wrong_domain(type, "floating-point");
  if (element_size(type) == 2) {
    auto* p = t.as_mutable<std::uint16_t>() + first;
    if (type == DataType::Float16) return base::doubles_to_halves(from, p, n);
    for (std::int64_t i = 0; i < n; ++i) p[i] = base::double_to_small_float(type, from[i]);
  } else {
    auto* p = t.as_mutable<std::uint8_t>() + first;
    for (std::int64_t i = 0; i < n; ++i) p[i] = static_cast<std::uint8_t>(base::double_to_small_float(type, from[i]));
  }
}

template <>
void load<std::int64_t>(const Tensor& t, std::int64_t first, std::int64_t n, std::int64_t* to) {
  check_range(t, first, n);
  switch (t.dtype()) {
    case DataType::Int4:
    case DataType::Int2:
    case DataType::Int8: return widen<std::int8_t>(t, first, n, to);
    case DataType::Int16: return widen<std::int16_t>(t, first, n, to);
    case DataType::Int32: return widen<std::int32_t>(t, first, n, to);
    case DataType::Int64: return widen<std::int64_t>(t, first, n, to);
    default: wrong_domain(t.dtype(), "signed integers");
  }
}

template <>
void store<std::int64_t>(Tensor& t, std::int64_t first, std::int64_t n, const std::int64_t* from) {
  check_range(t, first, n);
  switch (t.dtype()) {
    case DataType::Int4:
    case DataType::Int2: {
      auto* p = t.as_mutable<std::int8_t>() + first;
      for (std::int64_t i = 0; i < n; ++i) p[i] = sign_extend(from[i], t.dtype() == DataType::Int4 ? 4 : 2);
      return;
    }
    case DataType::Int8: return narrow<std::int8_t>(t, first, n, from);
    case DataType::Int16: return narrow<std::int16_t>(t, first, n, from);
    case DataType::Int32: return narrow<std::int32_t>(t, first, n, from);
    case DataType::Int64: return narrow<std::int64_t>(t, first, n, from);
    default: wrong_domain(t.dtype(), "signed integers");
  }
}

template <>
void load<std::uint64_t>(const Tensor& t, std::int64_t first, std::int64_t n, std::uint64_t* to) {
  check_range(t, first, n);
  switch (t.dtype()) {
    case DataType::Uint4:
    case DataType::Uint2:
    case DataType::Bool:
    case DataType::Uint8: return widen<std::uint8_t>(t, first, n, to);
    case DataType::Uint16: return widen<std::uint16_t>(t, first, n, to);
    case DataType::Uint32: return widen<std::uint32_t>(t, first, n, to);
    case DataType::Uint64: return widen<std::uint64_t>(t, first, n, to);
    default: wrong_domain(t.dtype(), "unsigned integers");
  }
}

template <>
void store<std::uint64_t>(Tensor& t, std::int64_t first, std::int64_t n, const std::uint64_t* from) {
  check_range(t, first, n);
  switch (t.dtype()) {
    case DataType::Uint4:
    case DataType::Uint2: {
      auto* p = t.as_mutable<std::uint8_t>() + first;
      const std::uint64_t mask = t.dtype() == DataType::Uint4 ? 15 : 3;
      for (std::int64_t i = 0; i < n; ++i) p[i] = static_cast<std::uint8_t>(from[i] & mask);
      return;
    }
    case DataType::Bool: {
      auto* p = t.as_mutable<bool>() + first;
      for (std::int64_t i = 0; i < n; ++i) p[i] = from[i] != 0;
      return;
    }
    case DataType::Uint8: return narrow<std::uint8_t>(t, first, n, from);
    case DataType::Uint16: return narrow<std::uint16_t>(t, first, n, from);
    case DataType::Uint32: return narrow<std::uint32_t>(t, first, n, from);
    case DataType::Uint64: return narrow<std::uint64_t>(t, first, n, from);
    default: wrong_domain(t.dtype(), "unsigned integers");
  }
}

template <>
void load<std::complex<double>>(const Tensor& t, std::int64_t first, std::int64_t n, std::complex<double>* to) {
  check_range(t, first, n);
  switch (t.dtype()) {
    case DataType::Complex64: return widen<std::complex<float>>(t, first, n, to);
    case DataType::Complex128: return widen<std::complex<double>>(t, first, n, to);
    default: wrong_domain(t.dtype(), "complex");
  }
}

template <>
void store<std::complex<double>>(Tensor& t, std::int64_t first, std::int64_t n, const std::complex<double>* from) {
  check_range(t, first, n);
  switch (t.dtype()) {
    case DataType::Complex64: return narrow<std::complex<float>>(t, first, n, from);
    case DataType::Complex128: return narrow<std::complex<double>>(t, first, n, from);
    default: wrong_domain(t.dtype(), "complex");
  }
}

template <>
void load<std::string>(const Tensor& t, std::int64_t first, std::int64_t n, std::string* to) {
  check_range(t, first, n);
  if (t.dtype() != DataType::String) wrong_domain(t.dtype(), "strings");
  const auto* p = t.as<std::string>() + first;
  for (std::int64_t i = 0; i < n; ++i) to[i] = p[i];
}

template <>
void store<std::string>(Tensor& t, std::int64_t first, std::int64_t n, const std::string* from) {
  check_range(t, first, n);
  if (t.dtype() != DataType::String) wrong_domain(t.dtype(), "strings");
  auto* p = t.as_mutable<std::string>() + first;
  for (std::int64_t i = 0; i < n; ++i) p[i] = from[i];
}

std::vector<std::int64_t> to_ints(const Tensor& t) {
  if (t.dtype() != DataType::Int32 && t.dtype() != DataType::Int64) wrong_domain(t.dtype(), "int32 or int64");
  return load_all<std::int64_t>(t);
}

Tensor zero_of(DataType type) {
  Tensor zero(type, {});
  visit_domain(domain_of(type), [&](const auto& value) { store(zero, 0, 1, &value); });
  return zero;
}

std::vector<double> load_numbers(const Tensor& t) {
  return visit_real(domain_of(t.dtype()), [&]<class D>(D) {
    const std::vector<D> values = load_all<D>(t);
    return std::vector<double>(values.begin(), values.end());
  });
}

double round_to(DataType type, double value) {
  if (type == DataType::Double) return value;
  if (type == DataType::Float) return static_cast<float>(value);
  if (!is_small_float(type)) wrong_domain(type, "floating-point");
  return base::small_float_to_float(type, base::double_to_small_float(type, value));
}

namespace {

// Much of one element: by what the C library writes memory with.
template <class T>
void fill(T* to, std::int64_t n, T one) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &one, sizeof(T));
  if (std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == bytes[0]; })) {
    std::memset(to, std::to_integer<int>(bytes[0]), static_cast<std::size_t>(n) * sizeof(T));
    return;
  }
  constexpr std::int64_t kFirst = 512 / sizeof(T), kMost = 4096 / sizeof(T);
  std::fill_n(to, std::min(n, kFirst), one);
  for (std::int64_t done = kFirst, piece = 0; done < n; done += piece) {
    piece = std::min({done, kMost, n - done});
    std::memcpy(to + done, to, static_cast<std::size_t>(piece) * sizeof(T));
  }
}

// T is as wide as an element.
template <class T>
void copy_run(Tensor& dst, std::int64_t dst_first, const Tensor& src, std::int64_t src_first, std::int64_t n,
              std::int64_t src_stride) {
  T* to = static_cast<T*>(dst.mutable_data()) + dst_first;
  const T* from = static_cast<const T*>(src.data()) + src_first;
  if (src_stride == 0) {
    const T one = *from;
    if constexpr (std::is_trivially_copyable_v<T>) return fill(to, n, one);
    std::fill_n(to, n, one);
    return;
  }
  for (std::int64_t k = 0; k < n; ++k) to[k] = from[k * src_stride];
}

struct Sixteen {
  std::uint64_t halves[2];
};

}  // namespace

void copy_elements(Tensor& dst, std::int64_t dst_first, const Tensor& src, std::int64_t src_first, std::int64_t n,
                   std::int64_t src_stride) {
  if (n <= 0) return;
  const std::size_t size = element_size(src.dtype());
  const bool strings = src.dtype() == DataType::String;
  if (size != element_size(dst.dtype()) || strings != (dst.dtype() == DataType::String)) {
    wrong_domain(src.dtype(), std::string(data_type_name(dst.dtype())).c_str());
  }
  check_range(dst, dst_first, n);
  check_range(src, src_first, 1);
  check_range(src, src_first + (n - 1) * src_stride, 1);
  if (strings) return copy_run<std::string>(dst, dst_first, src, src_first, n, src_stride);
  if (src_stride == 1) {
    std::memmove(static_cast<std::byte*>(dst.mutable_data()) + static_cast<std::size_t>(dst_first) * size,
                 static_cast<const std::byte*>(src.data()) + static_cast<std::size_t>(src_first) * size,
                 static_cast<std::size_t>(n) * size);
    return;
  }
  switch (size) {
    case 1: return copy_run<std::uint8_t>(dst, dst_first, src, src_first, n, src_stride);
    case 2: return copy_run<std::uint16_t>(dst, dst_first, src, src_first, n, src_stride);
    case 4: return copy_run<std::uint32_t>(dst, dst_first, src, src_first, n, src_stride);
    case 8: return copy_run<std::uint64_t>(dst, dst_first, src, src_first, n, src_stride);
    default: return copy_run<Sixteen>(dst, dst_first, src, src_first, n, src_stride);
  }
}

void copy_picked(Tensor& dst, std::int64_t dst_first, const Tensor& src, std::int64_t src_first,
                 std::span<const std::int64_t> at, std::int64_t length) {
  if (at.empty() || length == 0) return;
  const std::int64_t n = static_cast<std::int64_t>(at.size()) * length;
  if (dst.dtype() != src.dtype()) wrong_domain(src.dtype(), std::string(data_type_name(dst.dtype())).c_str());
  check_range(dst, dst_first, n);
  const auto [least, most] = std::minmax_element(at.begin(), at.end());
  check_range(src, src_first + *least * length, length);
  check_range(src, src_first + *most * length, length);
  const std::size_t size = element_size(src.dtype());
  if (length > 1 && src.dtype() != DataType::String) {
    const std::size_t bytes = static_cast<std::size_t>(length) * size;
    std::byte* to = static_cast<std::byte*>(dst.mutable_data()) + static_cast<std::size_t>(dst_first) * size;
    const std::byte* from = static_cast<const std::byte*>(src.data()) + static_cast<std::size_t>(src_first) * size;
    for (const std::int64_t k : at) {
      std::memcpy(to, from + static_cast<std::size_t>(k) * bytes, bytes);
      to += bytes;
    }
    return;
  }
  const auto pick = [&]<class T>(const T&) {
    T* to = static_cast<T*>(dst.mutable_data()) + dst_first;
    const T* from = static_cast<const T*>(src.data()) + src_first;
    for (const std::int64_t k : at)
      for (std::int64_t i = 0; i < length; ++i) *to++ = from[k * length + i];
  };
  if (src.dtype() == DataType::String) return pick(std::string());
  switch (size) {
    case 1: return pick(std::uint8_t{});
    case 2: return pick(std::uint16_t{});
    case 4: return pick(std::uint32_t{});
    case 8: return pick(std::uint64_t{});
    default: return pick(Sixteen{});
  }
}

void copy_strided(Tensor& dst, const Tensor& src, std::int64_t first, std::vector<std::int64_t> strides) {
  if (dst.size() == 0) return;
  if (strides.empty()) return copy_elements(dst, 0, src, first, 1);
  const std::int64_t row = dst.dims().back(), step = strides.back();
  strides.pop_back();
  std::int64_t to = 0;
  for (Odometer at(Shape(dst.dims().begin(), dst.dims().end() - 1), {std::move(strides)}); !at.done(); at.next()) {
    copy_elements(dst, to, src, first + at.offset(0), row, step);
    to += row;
  }
}

}  // namespace norn::ops
