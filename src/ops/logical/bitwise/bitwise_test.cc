// The bitwise operators, bit by bit: a bit of a number is what halving it as often leaves of evenness.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace bitwise_test_cc {
namespace {

// Bits 0 to 7 and the sign, which all bits above repeat.
template <bool (*op)(bool, bool)>
double by_bits(double a, double b) {
  double result = op(a < 0, b < 0) ? -256 : 0;
  for (int k = 0; k < 8; ++k) {
    const auto bit = [k](double x) { return std::fmod(std::floor(x / std::exp2(k)), 2) != 0; };
    if (op(bit(a), bit(b))) result += std::exp2(k);
  }
  return result;
}
bool both(bool a, bool b) { return a && b; }
bool either(bool a, bool b) { return a || b; }
bool one(bool a, bool b) { return a != b; }
double complement(double x) { return -1 - x; }

const Cases cases(
    "Bitwise",
    {
        {"BitwiseAnd", "T[2,1,3] uniform 0 100; T[4,1] uniform 0 100", "T[2,4,3]", {.both = by_bits<both>}},
        {"BitwiseOr", "T[2,1,3] uniform 0 100; T[4,1] uniform 0 100", "T[2,4,3]", {.both = by_bits<either>}},
        {"BitwiseXor", "T[2,1,3] uniform 0 100; T[4,1] uniform 0 100", "T[2,4,3]", {.both = by_bits<one>}},
        {"BitwiseAnd", "T[9] uniform -128 127; T[9] uniform -9 9", "", {.both = by_bits<both>, .types = "signed"}},
        {"BitwiseOr", "T[9] uniform -128 127; T[9] uniform -9 9", "", {.both = by_bits<either>, .types = "signed"}},
        {"BitwiseXor", "T[9] uniform -128 127; T[9] uniform -9 9", "", {.both = by_bits<one>, .types = "signed"}},
        {"BitwiseNot", "{T[7] uniform -100 100|T[2,0]|T[] 5}", "", {.each = complement, .types = "signed"}},
        {"BitwiseNot", "uint8[3] 0 1 255", "uint8[3] 255 254 0"},
        {"BitwiseNot", "uint64[2] 0 max", "uint64[2] max 0"},
        {"BitwiseNot", "int64[2] min max", "int64[2] max min"},
        {"BitwiseXor", "uint64[2] max max; uint64[] 1", "uint64[2] 18446744073709551614 18446744073709551614"},
        {"BitwiseAnd", "int64[2] min -1; int64[] max", "int64[2] 0 max"},
        {"BitwiseOr", "int8[2,0]; int8[1] 1", "int8[2,0]"},
        {"BitwiseOr", "int8[2] 1 2; int8[3] 1 2 3", "", {.error = "*"}},
        {"{BitwiseAnd|BitwiseOr|BitwiseXor}", "float[2]; float[2]", "", {.error = "takes only"}},
        {"BitwiseNot", "{float|bool}[2]", "", {.error = "takes only"}},

        {"BitwiseXor", "uint8[N,1]; uint8[M]", "uint8[N,M]"},
        {"BitwiseAnd", "int64[2] 6 -1; int64[2] 3 5", "int64[2] 2 5"},
        {"BitwiseOr", "int32[2] 6 N; int32[] 1", "int32[2] 7 ?"},
        {"BitwiseNot", "int64[3] N 0 -7", "int64[3] -1-N -1 6"},
        {"BitwiseNot", "uint32", "uint32"},
    });

}  // namespace
}  // namespace bitwise_test_cc
}  // namespace norn::ops::cases
