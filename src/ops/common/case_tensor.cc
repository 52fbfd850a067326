#include "ops/common/case_tensor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "norn/error.h"
#include "ops/common/elements.h"

namespace norn::ops::cases {

[[noreturn]] void bad(const std::string& message, std::string_view text) {
  throw Error(ErrorCode::Internal, "a case is not readable: " + message + " in `" + std::string(text) + "`");
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t v = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), v);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(v) : std::nullopt;
}

std::optional<double> real(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double v = std::strtod(copy.c_str(), &end);
  return !copy.empty() && *end == 0 ? std::optional(v) : std::nullopt;
}

namespace {

double unit(std::mt19937& random) { return (static_cast<double>(random()) + 0.5) / 4294967296.0; }
double normal(std::mt19937& random) {
  return std::sqrt(-2 * std::log(unit(random))) * std::cos(6.283185307179586 * unit(random));
}

// The largest or smallest of a type; infinite where the type has infinity.
std::optional<double> limit(DataType type, bool largest) {
  const double sign = largest ? 1 : -1;
  const double far = round_to(type, sign * 1e30);
  return std::isinf(far) ? std::nullopt : std::optional(far);
}

template <class T>
bool holds(DataType type, T v) {
  const int bits = type == DataType::Bool ? 1 : storage_bits(type);
  if constexpr (std::is_signed_v<T>) {
    return bits >= 64 || (v >= -(std::int64_t{1} << (bits - 1)) && v < (std::int64_t{1} << (bits - 1)));
  } else {
    return bits >= 64 || v < (std::uint64_t{1} << bits);
  }
}

// Of any type: whole numbers where the type has no other.
void store_numbers(Tensor& t, const std::vector<double>& v, std::mt19937& random) {
  switch (domain_of(t.dtype())) {
    case Domain::F64: return store_all<double>(t, v);
    case Domain::Complex: {
      std::vector<std::complex<double>> c;
      for (double x : v) c.emplace_back(x, normal(random));
      return store_all<std::complex<double>>(t, c);
    }
    case Domain::String: {
      std::vector<std::string> s;
      for (double x : v) s.push_back("s" + std::to_string(static_cast<long long>(x)));
      return store_all<std::string>(t, s);
    }
    case Domain::I64: {
      std::vector<std::int64_t> i;
      for (double x : v) i.push_back(static_cast<std::int64_t>(std::nearbyint(x)));
      return store_all<std::int64_t>(t, i);
    }
    case Domain::U64: {
      std::vector<std::uint64_t> u;
      for (double x : v) {
        const auto n = static_cast<std::int64_t>(std::nearbyint(x));
        u.push_back(static_cast<std::uint64_t>(t.dtype() == DataType::Bool ? n & 1 : std::abs(n)));
      }
      return store_all<std::uint64_t>(t, u);
    }
  }
}

}  // namespace

Tensor parsed(DataType type, const Shape& dims, const std::vector<std::string>& words, std::string_view text) {
  Tensor t(type, dims);
  switch (domain_of(t.dtype())) {
    case Domain::F64: {
      std::vector<double> v;
      for (const auto& w : words) {
        auto x = w == "max" || w == "min" ? limit(t.dtype(), w == "max") : real(w);
        if (!x) bad("no number: " + w, text);
        v.push_back(*x);
      }
      store_all<double>(t, v);
      for (std::size_t i = 0; i < v.size(); ++i)  // storing saturates
        if (t.dtype() == DataType::Float8E5M2 && std::isinf(v[i]))
          t.as_mutable<std::uint8_t>()[i] = std::signbit(v[i]) ? 0xfc : 0x7c;
      return t;
    }
    case Domain::I64: {
      std::vector<std::int64_t> v;
      const int bits = storage_bits(t.dtype());
      for (const auto& w : words) {
        auto x = w == "max"   ? std::optional(std::numeric_limits<std::int64_t>::max() >> (64 - bits))
                 : w == "min" ? std::optional(std::numeric_limits<std::int64_t>::min() >> (64 - bits))
                              : whole(w);
        if (!x || !holds(t.dtype(), *x)) bad("no " + std::string(data_type_name(t.dtype())) + ": " + w, text);
        v.push_back(*x);
      }
      store_all<std::int64_t>(t, v);
      return t;
    }
    case Domain::U64: {
      std::vector<std::uint64_t> v;
      const int bits = t.dtype() == DataType::Bool ? 1 : storage_bits(t.dtype());
      for (const auto& w : words) {
        std::uint64_t x = 0;
        const auto [end, code] = std::from_chars(w.data(), w.data() + w.size(), x);
        if (w == "max")
          x = ~std::uint64_t{0} >> (64 - bits);
        else if (w != "min" && (code != std::errc() || end != w.data() + w.size() || !holds(t.dtype(), x)))
          bad("no " + std::string(data_type_name(t.dtype())) + ": " + w, text);
        v.push_back(x);
      }
      store_all<std::uint64_t>(t, v);
      return t;
    }
    case Domain::Complex: {
      std::vector<std::complex<double>> v;
      for (const auto& w : words) {
        const auto comma = w.find(',');
        const auto re = real(w.substr(0, comma));
        const auto im = comma == std::string::npos ? std::optional(0.0) : real(w.substr(comma + 1));
        if (!re || !im) bad("no complex number: " + w, text);
        v.emplace_back(*re, *im);
      }
      store_all<std::complex<double>>(t, v);
      return t;
    }
    case Domain::String: {
      std::vector<std::string> v;
      for (const auto& w : words)
        v.push_back(w.size() >= 2 && w.front() == '"' && w.back() == '"' ? w.substr(1, w.size() - 2) : w);
      store_all<std::string>(t, v);
      return t;
    }
  }
  return t;
}

bool is_generator(const std::string& word) {
  for (const char* g : {"random", "odd", "iota", "positive", "uniform", "fill"})
    if (word == g) return true;
  return false;
}

Tensor generated(DataType type, const Shape& dims, const std::vector<std::string>& words, std::uint32_t seed,
                 std::string_view text) {
  Tensor t(type, dims);
  const std::string& how = words[0];
  const auto argument = [&](std::size_t i) {
    const auto v = i < words.size() ? real(words[i]) : std::nullopt;
    if (!v) bad("a number is missing behind " + how, text);
    return *v;
  };
  if (words.size() > 1 && how != "uniform" && how != "fill") seed = static_cast<std::uint32_t>(argument(1));
  std::mt19937 random(seed * 2654435761u + 17);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 1e-42, 65504.0};
  const bool floating = domain_of(t.dtype()) == Domain::F64;
  const double scale = floating ? 1 : storage_bits(t.dtype()) == 2 ? 0.6 : 3;
  const double most = t.dtype() == DataType::String || floating ? 1e9 : storage_bits(t.dtype()) == 2 ? 1 : 7;
  std::vector<double> values(static_cast<std::size_t>(t.size()));
  double at = 0;
  for (double& v : values) {
    if (how == "iota") {
      v = at++;
    } else if (how == "fill") {
      v = argument(1);
    } else if (how == "uniform") {
      const double low = argument(1), high = argument(2);
      v = floating ? low + (high - low) * unit(random)
                   : low + std::floor((high - low + 1) * unit(random) * (1 - 1e-12));
    } else if (t.dtype() == DataType::Bool) {
      v = random() % 2;
    } else {
      v = std::clamp(normal(random) * scale, -most, most);
      if (how == "positive") v = std::abs(v) + (floating ? 0.1 : 1);
      if (how == "odd" && floating && random() % 3 == 0) v = special[random() % std::size(special)];
    }
  }
  store_numbers(t, values, random);
  return t;
}

}  // namespace norn::ops::cases
