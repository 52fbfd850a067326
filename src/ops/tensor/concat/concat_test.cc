// Concat: what is joined lies one behind the other; sizes add along the axis and agree elsewhere.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace concat_test_cc {
namespace {

void concat(Sample& s) {
  std::vector<std::int64_t> dims = s.in(0).dims;
  auto axis = static_cast<std::size_t>(s.number("axis", 1) < 0 ? s.number("axis") + static_cast<double>(dims.size())
                                                               : s.number("axis", 1));
  for (int k = 1; k < s.inputs(); ++k) dims[axis] += s.in(k).dims[axis];
  auto& y = s.out(0, dims);
  std::vector<std::int64_t> at(dims.size());
  do {
    std::vector<std::int64_t> from = at;
    int k = 0;
    for (; from[axis] >= s.in(k).dims[axis]; ++k) from[axis] -= s.in(k).dims[axis];
    y[position(at, dims)] = Sample::element(k, position(from, s.in(k).dims));
  } while (next(at, dims));
}

const Cases cases("Concat",
                  {
                      {"Concat-4.. axis=0", "T[1,3,4] odd; T[0,3,4]; T[3,3,4] odd", "", {.picks = concat}},
                      {"Concat-4.. axis=1", "T[2,1,4] odd; T[2,0,4]; T[2,3,4] odd", "", {.picks = concat}},
                      {"Concat-4.. axis=2", "T[2,3,1] odd; T[2,3,0]; T[2,3,3] odd", "", {.picks = concat}},
                      {"Concat-11.. axis=-3", "T[1,3,4] odd; T[0,3,4]; T[3,3,4] odd", "", {.picks = concat}},
                      {"Concat-11.. axis=-2", "T[2,1,4] odd; T[2,0,4]; T[2,3,4] odd", "", {.picks = concat}},
                      {"Concat-11.. axis=-1", "T[2,3,1] odd; T[2,3,0]; T[2,3,3] odd", "", {.picks = concat}},
                      {"Concat-13 axis=0", "float[2,3] iota; {float[2,4]|float[2]} iota", "", {.error = "*"}},
                      {"Concat-13 axis=0", "float[] 1", "", {.error = "*"}},
                      {"Concat-13 axis=0", "float[2,3]; float[2,4]", "", {.error = "*"}},
                      {"Concat-13 axis=0", "float[2,3]; float[2]", "", {.error = "*"}},
                      {"Concat-13 axis=0", "float[]", "", {.error = "*"}},
                      {"Concat-4 axis=-1", "float[1,2] 1 2; float[1,1] 3", "float[1,3] 1 2 3"},

                      {"Concat-13 axis=1", "float[N,P,64]; float[N,S,64]", "float[N,P+S,64]"},
                      {"Concat-13 axis=1", "float[A,1]; float[5,2]", "float[5,3]"},
                      {"Concat-13 axis=1", "float[N,2]; float", "float[N,?]"},
                      {"Concat-13 axis=1", "float; float", "float"},
                      {"Concat-13 axis=0", "int64[1] K; int64[0]; int64[2] -1 7", "int64[3] K -1 7"},
                      {"Concat-13 axis=0", "int64[1] K; int64[1]", "int64[2] K ?"},
                      {"Concat-13 axis=0", "int64[2]; int64[1] 768; int64[0]", "int64[3] ? ? 768"},
                      {"Concat-13 axis=0", "int64[1]; int64[1]", "int64[2] unknown"},
                      {"Concat-13 axis=0", "int64[1] K; int64[N]", "int64[N+1] unknown"},
                      {"Concat-13 axis=0", "int64[1] K; int64[1000]", "int64[1001] unknown"},

                      {"Concat-1", "float[2,1] 1 2; float[2,2] 3 4 5 6", "float[2,3] 1 3 4 2 5 6"},
                      {"Concat-1", "float[2,1]; float[2,2]", "float[2,3]"},
                      {"Concat-13 axis=-1", "float[2,1]; float[2,2]", "", {.to = 4, .becomes = "Concat-4 axis=1"}},
                      {"Concat-13 axis=-1", "float[2,1]; float[2,2]", "", {.to = 1, .becomes = "Concat-1 axis=1"}},
                      {"Concat-13 axis=-1", "?; ?", "", {.error = "*", .to = 4}},
                  });

}  // namespace
}  // namespace concat_test_cc
}  // namespace norn::ops::cases
