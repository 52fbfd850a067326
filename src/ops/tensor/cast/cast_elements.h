// Conversion between any two element types but the complex ones, as Cast and CastLike do it.
#pragma once
#include "norn/value.h"

namespace norn::ops {

// How a value between two of E8M0's powers of two is rounded.
enum class E8M0Rounding { Up, Down, Nearest };

// Fills `to`, which has as many elements as `from`, by the standard's rules:
// - float to float rounds to nearest even; out of range becomes infinity, or NaN where the format has none, or with
//   `saturate` (8-bit formats) the largest finite value; 6- and 4-bit formats always saturate.
// - integer to integer discards the higher bits. Anything but zero, NaN too, is true.
// - float to integer drops the fraction. What is out of range the standard leaves open: here int32 and int64 saturate,
//   other types discard the higher bits of the 64-bit integer, which itself saturates; NaN gives 0, and so do
//   infinities for types below 32 bits.
// - strings are read as Python's float() and int() read them, except that an integer may be written with a fraction or
//   an exponent; they are written with the fewest digits that read back as the same element, plain in [1e-4, 1e16),
//   else scientific.
// Throws norn::Error (RuntimeError) for a string that is not a number.
void cast_elements(const Tensor& from, Tensor& to, bool saturate = true, E8M0Rounding rounding = E8M0Rounding::Up);

}  // namespace norn::ops
