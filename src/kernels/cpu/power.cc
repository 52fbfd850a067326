#include "kernels/cpu/power.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/input_refused.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/operand_reader.h"
#include "kernels/cpu/typed.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace power_cc {
namespace {

constexpr std::int64_t kTile = OperandReader::kTileBytes / 8;

bool is_real(DataType type) { return is_half(type) || type == DataType::Float || type == DataType::Double; }

// Elements of any real type as double, or of integers as int64.
class Widened {
 public:
  explicit Widened(DataType type, DataType to)
      : same_(type == to), cast_(same_ ? nullptr : cast_loop(widened_half(type), to)) {
    if (type == DataType::Float16) widen_ = half_table().float16_to_float;
    if (type == DataType::BFloat16) widen_ = half_table().bfloat16_to_float;
  }
  bool exists() const { return same_ || cast_; }
  const void* operator()(const void* x, std::int64_t n, OperandReader::Tile& to) const {
    if (same_) return x;
    std::array<float, kTile> floats;
    if (widen_) {
      widen_(static_cast<const std::uint16_t*>(x), floats.data(), n);
      x = floats.data();
    }
    cast_(x, to.data(), n);
    return to.data();
  }

 private:
  bool same_;
  CastLoop cast_;
  void (*widen_)(const std::uint16_t*, float*, std::int64_t) = nullptr;
};

// Through which powers go: double, but int64 for integers to integers.
DataType raised_in(const PowerConfig& c) {
  return is_real(c.base) || is_real(c.exponent) ? DataType::Double : DataType::Int64;
}

class Power final : public Kernel {
 public:
  explicit Power(const PowerConfig& c)
      : type_(c.base),
        bases_(c.out, c.bases, element_size(c.base)),
        exponents_(c.out, c.exponents, element_size(c.exponent)),
        in_double_(raised_in(c) == DataType::Double),
        wide_base_(c.base, raised_in(c)),
        wide_exponent_(c.exponent, raised_in(c)),
        raise_(typed_loop(TypedOp::Pow, raised_in(c))),
        multiply_(is_half(c.base) ? nullptr : typed_loop(TypedOp::Mul, c.base)),
        elements_(element_count(c.out)) {
    if (is_half(type_)) {
      narrow_ = odd_float_loop(DataType::Double);
      to_half_ = type_ == DataType::Float16 ? half_table().float_to_float16 : half_table().float_to_bfloat16;
    } else {
      const DataType made = is_real(type_) ? DataType::Double : DataType::Int64;
      if (type_ != made) narrow_ = cast_loop(made, type_);
    }
  }

  void run(void* const* operands, void*) const override {
    const auto size = static_cast<std::int64_t>(element_size(type_));
    auto* const out = static_cast<std::byte*>(operands[2]);
    parallel_ranges(elements_, 4, kTile, [&](std::int64_t begin, std::int64_t end) {
      OperandReader::Tile base_tile, exponent_tile, base, exponent, power;
      for (std::int64_t at = begin, n = 0; at < end; at += n) {
        n = exponents_.to_row_end(at, bases_.to_row_end(at, std::min(kTile, end - at)));
        std::byte* const to = out + at * size;
        const void* x = bases_.read_all(operands[0], at, n, base_tile);
        bool one = false;
        const void* y = exponents_.read(operands[1], at, n, exponent_tile, one);
        if (multiply_ && one) {
          const int times = factors(wide_exponent_(y, 1, exponent), x, n);
          if (times > 0) {
            multiply_(x, x, times == 2 ? static_cast<void*>(to) : power.data(), n, 0, 0);
            if (times == 3) multiply_(power.data(), x, to, n, 0, 0);
            continue;
          }
        }
        if (one) y = exponents_.repeat(y, n, exponent_tile);
        x = wide_base_(x, n, base);
        y = wide_exponent_(y, n, exponent);
        const bool ends_here = !narrow_ && !(in_double_ && !is_real(type_));
        raise_(x, y, ends_here ? static_cast<void*>(to) : power.data(), n, 0, 0);
        if (!ends_here) finish(power, to, n);
      }
    });
  }

 private:
  // 2 or 3 if powers are products of as many bases, whatever these are; else 0.
  int factors(const void* exponent, const void* bases, std::int64_t n) const {
    double value = 0;
    if (in_double_) {
      std::memcpy(&value, exponent, sizeof value);
      // Powers of integers may overflow, which is to be reported, and a double may not hold them.
      const bool exact = is_real(type_) || within(bases, n, 17) || (value == 2 && within(bases, n, 26));
      if (!exact) return 0;
    } else {
      std::int64_t whole = 0;
      std::memcpy(&whole, exponent, sizeof whole);
      value = whole == 2 || whole == 3 ? static_cast<double>(whole) : 0;
    }
    return value == 2 ? 2 : value == 3 ? 3 : 0;
  }
  // Whether all of these integers are in [-2^bits, 2^bits).
  bool within(const void* x, std::int64_t n, int bits) const {
    const auto all = [&]<class U>(U) {
      const U* v = static_cast<const U*>(x);
      U beyond = 0;
      for (std::int64_t i = 0; i < n; ++i) beyond |= static_cast<U>(v[i] + (U{1} << bits)) >> (bits + 1);
      return beyond == 0;
    };
    return type_ == DataType::Int32 ? all(std::uint32_t{}) : all(std::uint64_t{});
  }
  void finish(OperandReader::Tile& power, std::byte* to, std::int64_t n) const {
    if (to_half_) {
      std::array<float, kTile> floats;
      narrow_(power.data(), floats.data(), n);
      return to_half_(floats.data(), reinterpret_cast<std::uint16_t*>(to), n);
    }
    if (in_double_ && !is_real(type_)) {
      unsigned misfits = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        double value = 0;
        std::memcpy(&value, power.data() + i, sizeof value);
        misfits |= static_cast<unsigned>(!(value >= -0x1p63 && value < 0x1p63));
      }
      if (misfits != 0) throw base::InputRefused("a power does not fit the integer type", 1);
      OperandReader::Tile whole;
      cut_(power.data(), whole.data(), n);
      power = whole;
    }
    if (narrow_)
      narrow_(power.data(), to, n);
    else
      std::memcpy(to, power.data(), static_cast<std::size_t>(n) * 8);
  }

  DataType type_;
  OperandReader bases_, exponents_;
  bool in_double_;
  Widened wide_base_, wide_exponent_;
  TypedLoop raise_, multiply_;
  std::int64_t elements_;
  CastLoop narrow_ = nullptr;
  CastLoop cut_ = cast_loop(DataType::Double, DataType::Int64);
  void (*to_half_)(const float*, std::uint16_t*, std::int64_t) = nullptr;
};

std::string refuses(const PowerConfig& c) {
  if (!is_real(c.base) && c.base != DataType::Int32 && c.base != DataType::Int64)
    return "does not raise " + std::string(data_type_name(c.base));
  if (c.exponent == DataType::Uint64) return "does not count exponents beyond int64";
  if (!is_real(c.exponent) && (c.exponent == DataType::Bool || element_size(c.exponent) > 8))
    return "exponents of " + std::string(data_type_name(c.exponent));
  if (!Widened(c.base, raised_in(c)).exists() || !Widened(c.exponent, raised_in(c)).exists())
    return "has no loop for " + std::string(data_type_name(c.exponent));
  return broadcast_refusal(c.out, std::array{c.bases, c.exponents});
}
std::unique_ptr<Kernel> make(const PowerConfig& c, PackedConstants&) { return std::make_unique<Power>(c); }

constexpr Candidate<PowerConfig> kPowerCandidates[] = {{"power", refuses, make}};

}  // namespace
}  // namespace power_cc

std::span<const Candidate<PowerConfig>> power_candidates() { return kPowerCandidates; }

}  // namespace norn::kernels
