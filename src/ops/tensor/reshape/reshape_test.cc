// Reshape: element order never changes, so sizes are what there is to hold: 0, -1, allowzero, symbolic targets.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace reshape_test_cc {
namespace {

const Cases cases(
    "Reshape",
    {
        {"Reshape-5..",
         "T[2,3,4] odd; int64[2] 0 -1",
         "T[2,12]",
         {.picks =
              [](Sample& s) {
                auto& y = s.out(0, {2, 12});
                for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
              }}},
        {"Reshape-5..", "int8[2,3] iota; int64[2] {3 2|-1 2|3 -1}", "int8[3,2] 0 1 2 3 4 5"},
        {"Reshape-5..", "int8[2,3] iota; int64[1] {-1|6}", "int8[6] 0 1 2 3 4 5"},
        {"Reshape-5..", "int8[1,2,3] iota; int64[3] {0 0 -1|0 -1 3|1 -1 3}", "int8[1,2,3] 0 1 2 3 4 5"},
        {"Reshape-5..", "int8[1] 7; int64[0]", "int8[] 7"},
        {"Reshape-5..", "int8[] 7; int64[2] 1 1", "int8[1,1] 7"},
        {"Reshape-5..", "int8[] 7; int64[1] -1", "int8[1] 7"},
        {"Reshape-5..", "float[0,4]; int64[2] {0 -1|-1 4}", "float[0,4]"},
        {"Reshape-5..", "float[0,4]; int64[2] -1 2", "float[0,2]"},
        {"Reshape-5..", "float[2,0,3]; int64[3] 0 0 5", "float[2,0,5]"},
        {"Reshape-14.. allowzero=1", "float[0,3]; int64[2] 3 0", "float[3,0]"},
        {"Reshape-14.. allowzero=1", "float[2,0,3]; int64[3] 0 0 5", "float[0,0,5]"},

        {"Reshape-14",
         "float[2,3] iota; {int64[1] 4|int64[2] -1 4|int64[2] -1 -1|int64[3] 2 3 0|int64[2] -2 3|int64[2] max max}",
         "",
         {.error = "*"}},
        {"Reshape-14",
         "float[2,3]; {int64[1] 4|int64[2] -1 4|int64[2] -1 -1|int64[3] 2 3 0|int64[2] -2 3|int64[2] max max}",
         "",
         {.error = "*"}},
        {"Reshape-14 allowzero=1", "float[0,3]; int64[2] 0 -1", "", {.error = "*"}},
        {"Reshape-14 allowzero=1", "float[2,3] iota; int64[2] 0 3", "", {.error = "*"}},
        {"Reshape-14 allowzero=1", "float[2,3]; int64[2] 0 3", "", {.error = "*"}},

        {"Reshape-21", "float[N,S,768]; int64[4] {0 0 12 64|0 -1 12 64}", "float[N,S,12,64]"},
        {"Reshape-21", "float[N,S,768]; int64[2] {-1 768|N*S -1}", "float[N*S,768]"},
        {"Reshape-21", "float[N,S,12,64]; int64[3] N -1 768", "float[N,S,768]"},
        {"Reshape-21", "float[N,S]; {int64[1] -1|int64[1]}", "float[N*S]"},
        {"Reshape-21", "float[N,6]; int64[2] -1 4", "float[N+floor(N/2),4]"},
        {"Reshape-21", "float; int64[2] 0 5", "float[?,5]"},
        {"Reshape-21", "float[N,S]; int64[2]", "float[?,?]"},
        {"Reshape-21", "float[N,S]; int64[K]", "float"},
        {"Reshape-21", "int64[1] N; int64[0]", "int64[] N"},
        {"Reshape-4 shape=0,-1", "float[N,S,2]", "float[N,2*S]"},

        {"Reshape-1 shape=3,-1", "float[2,3] iota", "float[3,2] 0 1 2 3 4 5"},
        {"Reshape-13",
         "float[2,3] iota; int64[3] 0 -1 1",
         "float[2,3,1] 0 1 2 3 4 5",
         {.to = 4, .becomes = "Reshape-1 shape=0,-1,1"}},
        {"Reshape-13", "float[2,6]; int64[1]", "", {.error = "*", .to = 4}},
        {"Reshape-14 allowzero=1", "float[2,6]; int64[1] 12", "", {.to = 13, .becomes = "Reshape-13"}},
        {"Reshape-14 allowzero=1", "float[2,0]; int64[2] 0 2", "", {.error = "*", .to = 13}},
        {"Reshape-14 allowzero=1", "float[0,2]; int64[2] 0 7", "", {.to = 13}},
        {"Reshape-14 allowzero=1", "float[2,6]; int64[1]", "", {.error = "*", .to = 13}},
    });

}  // namespace
}  // namespace reshape_test_cc
}  // namespace norn::ops::cases
