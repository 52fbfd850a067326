// Comparison and logic for each instruction set: plain loops, which the compiler vectorises.
#include "kernels/cpu/choice.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/choice_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace pairs {

using Truth = std::uint8_t;  // 0 or 1

// A number of a half type, whose bits are compared as integers.
template <std::uint16_t infinity>
struct Half {
  std::uint16_t bits;

  std::uint16_t size() const { return bits & 0x7fff; }
  // In the order of the numbers; both zeros are 0.
  std::int16_t key() const {
    const auto sign = static_cast<std::int16_t>(static_cast<std::int16_t>(bits) >> 15);
    return static_cast<std::int16_t>((static_cast<std::int16_t>(size()) ^ sign) - sign);
  }
};
template <PairOp op, std::uint16_t infinity>
HWY_INLINE Truth holds(Half<infinity> a, Half<infinity> b) {
  const std::uint16_t larger = a.size() > b.size() ? a.size() : b.size();
  const std::int16_t x = a.key(), y = b.key();
  const bool are_numbers = larger <= infinity;
  if constexpr (op == PairOp::Equal) return (x == y) & are_numbers;
  if constexpr (op == PairOp::Less) return (x < y) & are_numbers;
  return (x <= y) & are_numbers;
}

struct AnyByte {
  std::uint8_t byte;
};

template <PairOp op, class T>
HWY_INLINE Truth holds(T a, T b) {
  if constexpr (op == PairOp::Equal) return a == b;
  if constexpr (op == PairOp::Less) return a < b;
  if constexpr (op == PairOp::LessOrEqual) return a <= b;
}

// Bools that nothing has looked through: any byte but 0 is true.
template <PairOp op>
HWY_INLINE Truth holds(AnyByte a, AnyByte b) {
  const bool x = a.byte != 0, y = b.byte != 0;
  if constexpr (op == PairOp::Equal) return x == y;
  if constexpr (op == PairOp::And) return x & y;
  if constexpr (op == PairOp::Or) return x | y;
  return x != y;
}

template <PairOp op, class T, bool swapped>
void loop(const void* a_data, const void* b_data, Truth* HWY_RESTRICT out, std::int64_t n) {
  const T* HWY_RESTRICT a = static_cast<const T*>(swapped ? b_data : a_data);
  const T* HWY_RESTRICT b = static_cast<const T*>(swapped ? a_data : b_data);
  for (std::int64_t i = 0; i < n; ++i) out[i] = holds<op>(a[i], b[i]);
}

template <class T>
PairLoop loop_of(PairOp op) {
  switch (op) {
    case PairOp::Equal: return loop<PairOp::Equal, T, false>;
    case PairOp::Less: return loop<PairOp::Less, T, false>;
    case PairOp::LessOrEqual: return loop<PairOp::LessOrEqual, T, false>;
    case PairOp::Greater: return loop<PairOp::Less, T, true>;
    case PairOp::GreaterOrEqual: return loop<PairOp::LessOrEqual, T, true>;
    default: return nullptr;
  }
}
PairLoop logic(PairOp op) {
  switch (op) {
    case PairOp::Equal: return loop<PairOp::Equal, AnyByte, false>;
    case PairOp::And: return loop<PairOp::And, AnyByte, false>;
    case PairOp::Or: return loop<PairOp::Or, AnyByte, false>;
    case PairOp::Xor: return loop<PairOp::Xor, AnyByte, false>;
    default: return nullptr;
  }
}

}  // namespace pairs

PairLoop find_pair_loop(PairOp op, DataType type) {
  using namespace pairs;
  switch (type) {
    case DataType::Float: return loop_of<float>(op);
    case DataType::Double: return loop_of<double>(op);
    case DataType::Int8: return loop_of<std::int8_t>(op);
    case DataType::Int16: return loop_of<std::int16_t>(op);
    case DataType::Int32: return loop_of<std::int32_t>(op);
    case DataType::Int64: return loop_of<std::int64_t>(op);
    case DataType::Uint8: return loop_of<std::uint8_t>(op);
    case DataType::Uint16: return loop_of<std::uint16_t>(op);
    case DataType::Uint32: return loop_of<std::uint32_t>(op);
    case DataType::Uint64: return loop_of<std::uint64_t>(op);
    case DataType::Float16: return loop_of<Half<0x7c00>>(op);
    case DataType::BFloat16: return loop_of<Half<0x7f80>>(op);
    case DataType::Bool: return logic(op);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_pair_loop);

PairLoop pair_loop(PairOp op, DataType type) { return HWY_DYNAMIC_DISPATCH(find_pair_loop)(op, type); }

}  // namespace norn::kernels
#endif
