// Clip: order of the two bounds, NaN, absent bounds, and bounds moving between attributes and inputs.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace clip_test_cc {
namespace {

void clip(Sample& s) {
  auto& y = s.out(0, s.in(0).dims);
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = std::fmin(std::fmax(s.in(0).values[i], s.in(1).values[0]), s.in(2).values[0]);
}

const Cases cases("Clip", {
                              {"Clip-12..",
                               "T[3,4] random 3; T[] -1; T[] 2",
                               "",
                               {.formula = clip, .types = "!uint8 !uint16 !uint32 !uint64"}},
                              {"Clip-12..", "T[3,4] random 3; T[] 1; T[] 2", "", {.formula = clip}},
                              // Absent bounds do not bound.
                              {"Clip-11..", "float[4] -inf -1 1 inf", "float[4] -inf -1 1 inf"},
                              {"Clip-11..", "float[4] -inf -1 1 inf; float[] 0", "float[4] 0 0 1 inf"},
                              {"Clip-11..", "float[4] -inf -1 1 inf; -; float[] 0", "float[4] -inf -1 0 0"},
                              {"Clip-13", "int32[3] 0 5 10; int32[] 7; int32[] 3", "int32[3] 3 3 3"},
                              {"Clip-13", "double[2] nan 3; double[] 0; double[] 1", "double[2] nan 1"},
                              {"Clip-13", "double[2] -1 3; double[] nan; double[] 1", "double[2] nan nan"},
                              {"Clip-12", "int64[2] max 9223372036854775806; -; int64[] 9223372036854775806",
                               "int64[2] 9223372036854775806 9223372036854775806"},
                              // One element is taken as a scalar.
                              {"Clip-13", "float[2] 1 2; float[1] 2", "float[2] 2 2"},
                              {"Clip-13", "float[2] 1 2; float[2] 2 2", "", {.error = "*"}},
                              {"Clip-13", "float[2]; float[2]", "", {.error = "*"}},
                              {"Clip-13", "float[0,2]; float[] 0", "float[0,2]"},
                              {"Clip-13", "float[] -3; float[] 0", "float[] 0"},

                              {"Clip-{1|6|7|10} min=-1 max=2", "T[3] -5 0.5 5", "T[3] -1 0.5 2"},
                              {"Clip-{1|6} max=2", "T[3] -5 0.5 5", "T[3] -5 0.5 2"},
                              {"Clip-6", "double[1] 1e300", "double[1] 1e300"},
                              {"Clip-1 consumed_inputs=0", "double[1] 1e300", "double[1] 1e300"},

                              {"Clip-13", "int64[3] -1 3 9; int64[] 0; int64[] 5", "int64[3] 0 3 5"},

                              {"Clip-13",
                               "float[3] -5 0 5; float[] -1; float[] 2",
                               "float[3] -1 0 2",
                               {.to = 6, .becomes = "Clip-6 max=2.000000 min=-1.000000"}},
                              {"Clip-11", "float[3]; -; float[] 2", "", {.to = 1, .becomes = "Clip-1 max=2.000000"}},
                              {"Clip-13", "float[3]; float[]", "", {.error = "*", .to = 6}},  // computed
                              {"Clip-13", "double[3]; double[] 0.1", "", {.error = "*", .to = 6}},
                              {"Clip-13", "int32[3]", "", {.error = "*", .to = 11}},
                              {"Clip-13", "int32[3]", "", {.to = 12, .becomes = "Clip-12"}},
                              // Upwards, the type of the bounds has to be known.
                              {"Clip-6 max=2", "?", "", {.error = "*", .to = 13}},
                              {"Clip-6", "?", "", {.to = 13, .becomes = "Clip-13"}},
                          });

}  // namespace
}  // namespace clip_test_cc
}  // namespace norn::ops::cases
