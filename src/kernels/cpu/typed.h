// One element-wise operation in any element type, with operands that broadcast: what chains (elementwise.h) have no
// step for. Arithmetic of integers wraps; half types are computed in f32 and rounded once,
// except in operations on their bits.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

enum class TypedOp : std::uint8_t {
  // unary
  Not,  // of bools
  BitwiseNot,
  Neg,
  Abs,
  Sign,
  Relu,
  Floor,
  Ceil,
  Round,  // halves to even
  Sqrt,
  Reciprocal,
  Exp,
  Log,
  Sigmoid,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  // into bools
  IsNaN,
  IsInf,  // the negative one if a is not 0, the positive one if b is not 0
  // of two operands, or more: f(f(x, y), z)
  Add,
  Sub,
  Mul,
  Div,  // of integers: the quotient is cut, and a divisor of 0 throws RuntimeError
  Max,  // NaN if any is
  Min,
  Mean,  // the sum over the number of operands
  Mod,   // of integers: of the divisor's sign
  Fmod,  // of the dividend's sign
  And,
  Or,
  Xor,
  ShiftLeft,  // of unsigned integers: 0 beyond their width
  ShiftRight,
  PRelu,  // x, or x y where x is below 0
  Pow,    // of double; of signed integers: wraps, and 0 to a negative power throws RuntimeError
  // of x and two scalars, either of which may be omitted
  Clip,
  // of x alone: x + b below -a, x - b above a, else 0; of integers computed in double
  Shrink,
};

// Operands: the inputs (Clip: x and both bounds, null where omitted), then the output, of x's type or of bools.
struct TypedConfig {
  TypedOp op = TypedOp::Not;
  DataType type = DataType::Float;
  std::vector<Shape> inputs;          // that broadcast to out; Clip's bounds are not among them
  bool lower = false, upper = false;  // whether Clip has them
  Shape out;
  float a = 0, b = 0;
};
std::span<const Candidate<TypedConfig>> typed_candidates();

// The loop for n elements of dense memory; y is the second operand, or Clip's bounds (two elements). `out` overlaps
// neither. Null where there is none for the type; for half types only operations on their bits have one.
using TypedLoop = void (*)(const void* x, const void* y, void* out, std::int64_t n, float a, float b);
TypedLoop typed_loop(TypedOp op, DataType type);
// The same with one y for all n, for sums, differences and products of double and of integers of 32 and 64 bits.
TypedLoop typed_loop_with_one(TypedOp op, DataType type);
// Those among them that are functions of floating numbers.
TypedLoop typed_function(TypedOp op, DataType type);

// out[i] = x[i] to the power of y[i]; out may be x or y.
void powers_f32(const float* x, const float* y, float* out, std::int64_t n);

[[noreturn]] void refuse_zero_divisor();
[[noreturn]] void refuse_power_of_zero();

}  // namespace norn::kernels
