// A tile of the output at a time: operands that do not lie as the output does, and half types, are brought into tiles
// of their own, so that there is one loop for each operation and type.
#include "kernels/cpu/typed.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "base/input_refused.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/operand_reader.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace typed_cc {
namespace {

// Operations that the bits of half types decide without arithmetic.
bool goes_by_bits(TypedOp op) {
  switch (op) {
    case TypedOp::Neg:
    case TypedOp::Abs:
    case TypedOp::Sign:
    case TypedOp::Relu:
    case TypedOp::IsNaN:
    case TypedOp::IsInf: return true;
    default: return false;
  }
}
DataType widened(TypedOp op, DataType type) { return goes_by_bits(op) ? type : widened_half(type); }
DataType computed_in(TypedOp op, DataType type) {
  const bool in_double = op == TypedOp::Shrink && type != DataType::Float && !is_half(type);
  return in_double ? DataType::Double : widened(op, type);
}
bool gives_bools(TypedOp op) { return op == TypedOp::IsNaN || op == TypedOp::IsInf; }
bool is_unary(TypedOp op) { return op < TypedOp::Add || op == TypedOp::Clip || op == TypedOp::Shrink; }
TypedOp step_of(TypedOp op) { return op == TypedOp::Mean ? TypedOp::Add : op; }

double element_ns(TypedOp op, DataType type) {
  const double bytes = static_cast<double>(element_size(type)) * 0.05;
  if ((op >= TypedOp::Exp && op <= TypedOp::Atanh) || op == TypedOp::Pow) return bytes * 10;
  if (op == TypedOp::Div || op == TypedOp::Mod || op == TypedOp::Fmod) return bytes * 4;
  return bytes;
}

class Typed final : public Kernel {
 public:
  explicit Typed(const TypedConfig& c)
      : c_(c), loop_(typed_loop(step_of(c.op), computed_in(c.op, c.type))), elements_(element_count(c.out)) {
    for (const Shape& dims : c.inputs) readers_.emplace_back(c.out, dims, element_size(c.type));
    if (is_half(c.type) && !goes_by_bits(c.op)) {
      const HalfTable& halves = half_table();
      const bool ieee = c.type == DataType::Float16;
      widen_ = ieee ? halves.float16_to_float : halves.bfloat16_to_float;
      narrow_ = ieee ? halves.float_to_float16 : halves.float_to_bfloat16;
    }
    with_one_ = typed_loop_with_one(c.op, c.type);
    if (c.op == TypedOp::Mean) scale_ = typed_loop(TypedOp::Div, widened(c.op, c.type));
    if (const DataType wide = computed_in(c.op, c.type); wide != widened(c.op, c.type)) {
      to_wide_ = cast_loop(c.type, wide);
      from_wide_ = cast_loop(wide, c.type);
    }
  }

  void run(void* const* operands, void*) const override {
    const std::size_t compute_bytes = element_size(computed_in(c_.op, c_.type));
    const std::int64_t tile = OperandReader::kTileBytes / static_cast<std::int64_t>(compute_bytes);
    OperandReader::Tile parameters;  // Clip's bounds, or Mean's divisor in every place
    if (c_.op == TypedOp::Clip) read_bounds(operands, parameters);
    if (c_.op == TypedOp::Mean) {
      const double n = static_cast<double>(c_.inputs.size());
      if (compute_bytes == 4)
        std::fill_n(reinterpret_cast<float*>(parameters.data()), tile, static_cast<float>(n));
      else
        std::fill_n(reinterpret_cast<double*>(parameters.data()), tile, n);
    }
    auto* const out = static_cast<std::byte*>(operands[c_.op == TypedOp::Clip ? 3 : c_.inputs.size()]);
    const std::size_t out_bytes = gives_bools(c_.op) ? 1 : element_size(c_.type);
    const std::int64_t most = elements_at_once(tile);
    parallel_ranges(elements_, element_ns(c_.op, c_.type), tile, [&](std::int64_t begin, std::int64_t end) {
      OperandReader::Tile raw, x_tile, y_tile, sums[2], result;
      for (std::int64_t at = begin, n = 0; at < end; at += n) {
        n = std::min(most, end - at);
        for (const OperandReader& reader : readers_) n = reader.to_row_end(at, n);
        std::byte* const to = out + static_cast<std::size_t>(at) * out_bytes;
        if (c_.inputs.size() == 2 && !widen_ && !scale_) {
          for_both(
              readers_[0], readers_[1], operands[0], operands[1], at, n, compute_bytes, x_tile, y_tile,
              [&](const void* x, const void* y, std::int64_t first, std::int64_t count) {
                loop_(x, y, to + static_cast<std::size_t>(first) * out_bytes, count, c_.a, c_.b);
              },
              [&](const void* x, const void* y, bool x_one) {
                if (!with_one_ || (x_one && c_.op == TypedOp::Sub)) return false;
                with_one_(x_one ? y : x, x_one ? x : y, to, n, c_.a, c_.b);
                return true;
              });
          continue;
        }
        const bool narrow = from_wide_ || (narrow_ && !gives_bools(c_.op));
        void* const last = narrow ? static_cast<void*>(result.data()) : to;
        const void* x = operand(0, operands, at, n, raw, x_tile);
        if (is_unary(c_.op)) {
          loop_(x, parameters.data(), last, n, c_.a, c_.b);
        } else if (c_.inputs.size() == 1) {
          std::memcpy(last, x, static_cast<std::size_t>(n) * compute_bytes);
        }
        for (std::size_t i = 1; i < c_.inputs.size(); ++i) {
          const void* y = operand(i, operands, at, n, raw, y_tile);
          void* const sum = i + 1 < c_.inputs.size() || scale_ ? static_cast<void*>(sums[i % 2].data()) : last;
          loop_(x, y, sum, n, c_.a, c_.b);
          x = sum;
        }
        if (scale_ && c_.inputs.size() > 1) scale_(x, parameters.data(), last, n, 0, 0);
        if (from_wide_)
          from_wide_(last, to, n);
        else if (narrow)
          narrow_(static_cast<const float*>(last), reinterpret_cast<std::uint16_t*>(to), n);
      }
    });
  }

 private:
  // Tiles bound only what is stored in them.
  std::int64_t elements_at_once(std::int64_t tile) const {
    // Loops that check operands first go over them twice.
    const bool repeats =
        c_.op == TypedOp::Div || c_.op == TypedOp::Mod || c_.op == TypedOp::Fmod || c_.op == TypedOp::Pow;
    if (widen_ || to_wide_ || scale_ || repeats) return tile;
    if (readers_.size() == 1 && readers_[0].is_run()) return 4 * tile;
    return readers_.size() == 2 ? kernels::elements_at_once(readers_[0], readers_[1], tile) : tile;
  }

  const void* operand(std::size_t i, void* const* operands, std::int64_t at, std::int64_t n, OperandReader::Tile& raw,
                      OperandReader::Tile& tile) const {
    if (to_wide_) {
      to_wide_(readers_[i].read_all(operands[i], at, n, raw), tile.data(), n);
      return tile.data();
    }
    if (!widen_) return readers_[i].read_all(operands[i], at, n, tile);
    const void* half = readers_[i].read_all(operands[i], at, n, raw);
    widen_(static_cast<const std::uint16_t*>(half), reinterpret_cast<float*>(tile.data()), n);
    return tile.data();
  }

  // A bound that is omitted is the type's own.
  void read_bounds(void* const* operands, OperandReader::Tile& to) const {
    const auto set = [&]<class T>(T lowest, T highest) {
      T* bounds = reinterpret_cast<T*>(to.data());
      bounds[0] = lowest;
      bounds[1] = highest;
      for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (!(i == 1 ? c_.lower : c_.upper)) continue;
        if constexpr (std::is_same_v<T, float>)
          if (widen_) {
            widen_(static_cast<const std::uint16_t*>(operands[i]), bounds + i - 1, 1);
            continue;
          }
        std::memcpy(bounds + i - 1, operands[i], sizeof(T));
      }
    };
    const auto limits = [&]<class T>(T) { set(std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()); };
    const auto infinite = [&]<class T>(T) {
      set(-std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity());
    };
    switch (widened(c_.op, c_.type)) {
      case DataType::Float: return infinite(float{});
      case DataType::Double: return infinite(double{});
      case DataType::Int8: return limits(std::int8_t{});
      case DataType::Int16: return limits(std::int16_t{});
      case DataType::Int32: return limits(std::int32_t{});
      case DataType::Int64: return limits(std::int64_t{});
      case DataType::Uint8: return limits(std::uint8_t{});
      case DataType::Uint16: return limits(std::uint16_t{});
      case DataType::Uint32: return limits(std::uint32_t{});
      default: return limits(std::uint64_t{});
    }
  }

  TypedConfig c_;
  TypedLoop loop_, with_one_ = nullptr, scale_ = nullptr;
  std::int64_t elements_;
  std::vector<OperandReader> readers_;
  CastLoop to_wide_ = nullptr, from_wide_ = nullptr;
  void (*widen_)(const std::uint16_t*, float*, std::int64_t) = nullptr;
  void (*narrow_)(const float*, std::uint16_t*, std::int64_t) = nullptr;
};

std::string refuses(const TypedConfig& c) {
  if (c.inputs.empty() || (is_unary(c.op) && c.inputs.size() != 1)) return "has another number of operands";
  const DataType wide = computed_in(c.op, c.type);
  if (wide != widened(c.op, c.type) && wide != c.type && (!cast_loop(c.type, wide) || !cast_loop(wide, c.type)))
    return "has no loop for " + std::string(data_type_name(c.type));
  if (!typed_loop(step_of(c.op), wide) || (c.op == TypedOp::Mean && !typed_loop(TypedOp::Div, widened(c.op, c.type))))
    return "has no loop for " + std::string(data_type_name(c.type));
  return broadcast_refusal(c.out, c.inputs);
}
std::unique_ptr<Kernel> make(const TypedConfig& c, PackedConstants&) { return std::make_unique<Typed>(c); }

constexpr Candidate<TypedConfig> kTypedCandidates[] = {{"typed", refuses, make}};

}  // namespace
}  // namespace typed_cc

std::span<const Candidate<TypedConfig>> typed_candidates() { return kTypedCandidates; }

void refuse_zero_divisor() { throw base::InputRefused("an integer is divided by zero", 1); }
void refuse_power_of_zero() { throw base::InputRefused("0 to a negative power", 1); }

}  // namespace norn::kernels
