// BitShift against multiplication and division by powers of two.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace bit_shift_test_cc {
namespace {

double times_power(double x, double shift) { return x * std::exp2(shift); }
double over_power(double x, double shift) { return std::floor(x / std::exp2(shift)); }

const Cases cases(
    "BitShift",
    {
        {"BitShift direction=LEFT", "T[2,1,3] uniform 0 7; T[4,1] uniform 0 3", "T[2,4,3]", {.both = times_power}},
        {"BitShift direction=RIGHT", "T[2,1,3] uniform 0 100; T[4,1] uniform 0 9", "T[2,4,3]", {.both = over_power}},
        {"BitShift-28 direction=LEFT",
         "T[6] uniform -15 15; T[6] uniform 0 3",
         "T[6]",
         {.both = times_power, .types = "signed"}},
        {"BitShift-28 direction=RIGHT",
         "T[6] uniform -100 100; T[6] uniform 0 9",
         "T[6]",
         {.both = over_power, .types = "signed"}},
        // At least the width, or negative: what the sign alone gives.
        {"BitShift direction=LEFT", "uint8[4] 255 255 255 3; uint8[4] 7 8 255 64", "uint8[4] 128 0 0 0"},
        {"BitShift direction=RIGHT", "uint8[3] 255 255 255; uint8[3] 7 8 255", "uint8[3] 1 0 0"},
        {"BitShift direction={LEFT|RIGHT}", "uint64[3] max max 1; uint64[3] 64 max 65", "uint64[3] 0 0 0"},
        {"BitShift direction=RIGHT", "uint64[2] max max; uint64[2] 63 0", "uint64[2] 1 max"},
        {"BitShift-28 direction=LEFT", "int8[5] 1 -1 100 -128 3; int8[5] 7 7 1 1 -1", "int8[5] -128 -128 -56 0 0"},
        {"BitShift-28 direction=RIGHT", "int8[5] -128 -1 127 -5 5; int8[5] 7 100 8 -1 -128", "int8[5] -1 -1 0 -1 0"},
        {"BitShift-28 direction=RIGHT", "int64[4] min min max min; int64[4] 63 64 62 min", "int64[4] -1 -1 1 -1"},
        {"BitShift-28 direction=LEFT", "int64[4] 1 3 -1 7; int64[4] 63 63 64 min", "int64[4] min min 0 0"},
        {"BitShift-11 direction=LEFT", "uint8[0,3]; uint8[3] 1 2 3", "uint8[0,3]"},
        {"BitShift-11 direction=LEFT", "uint8[2] 1 2; uint8[3] 1 2 3", "", {.error = "*"}},
        {"BitShift-11 direction={Left|forward}", "uint8[2] 1 2; uint8[2] 1 2", "", {.error = "direction"}},
        {"BitShift-11 direction=LEFT", "int8[2]; int8[2]", "", {.error = "takes only"}},

        {"BitShift-11 direction=LEFT", "uint8[N,1]; uint8[M]", "uint8[N,M]"},
        {"BitShift-28 direction=LEFT", "int64[2] N 3; int64[] 2", "int64[2] 4*N 12"},
        {"BitShift-28 direction=RIGHT", "int64[3] 4*N -5 7; int64[3] 2 1 0", "int64[3] N -3 7"},
        {"BitShift-28 direction=LEFT", "int64[] N; int64[] {M|-1|63}", "int64[] unknown"},
        {"BitShift-28 direction=RIGHT", "uint16[2]; uint16[2]", "", {.to = 11, .becomes = "BitShift-11"}},
        {"BitShift-28 direction=RIGHT", "int16[2]; int16[2]", "", {.error = "*", .to = 11}},
    });

}  // namespace
}  // namespace bit_shift_test_cc
}  // namespace norn::ops::cases
