// Split against slices of a tensor that counts, and of one that holds anything.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace split_test_cc {
namespace {

// The first of two outputs, 2 of 5 long, along the axis.
void first_two(Sample& s) {
  std::vector<std::int64_t> d = s.in(0).dims, dims = d;
  const double axis = s.number("axis") < 0 ? s.number("axis") + 3 : s.number("axis");
  dims[static_cast<std::size_t>(axis)] = 2;
  auto& y = s.out(0, dims);
  std::vector<std::int64_t> at(3);
  do y[position(at, dims)] = Sample::element(0, position(at, d));
  while (next(at, dims));
}

const Cases cases(
    "Split",
    {
        {"Split-13.. axis={0|-3}", "T[5,2,3] odd; int64[2] 2 3", "T[2,2,3]; -", {.picks = first_two}},
        {"Split-13.. axis={1|-2}", "T[2,5,3] odd; int64[2] 2 3", "T[2,2,3]; -", {.picks = first_two}},
        {"Split-13.. axis={2|-1}", "T[2,3,5] odd; int64[2] 2 3", "T[2,3,2]; -", {.picks = first_two}},
        {"Split-{2|11} axis=1 split=2,3", "T[2,5,3] odd", "T[2,2,3]; -", {.picks = first_two}},
        {"Split-1 axis=1 split=2,3", "T[2,5,3] odd", "T[2,2,3]; -", {.picks = first_two}},

        {"Split-13.. axis=1", "int32[2,4] iota; int64[3] 1 0 3", "int32[2,1] 0 4; int32[2,0]; int32[2,3] 1 2 3 5 6 7"},
        {"Split-13..", "int32[4] iota; int64[3] 1 0 3", "-; -; int32[3] 1 2 3"},
        {"Split-{2|11} split=1,3", "int32[4] iota", "int32[1] 0; int32[3] 1 2 3"},
        {"Split-1 split=1,3", "float[4] iota", "float[1] 0; float[3] 1 2 3"},
        {"Split-1", "float[4] iota; float[2] 1 3", "float[1] 0; float[3] 1 2 3", {.late = true}},
        {"Split-1 axis=1", "double[2,2] iota; double[2] 2 0", "double[2,2] 0 1 2 3; double[2,0]", {.late = true}},
        {"Split-1 split=1,3", "float[4] iota; float[2] 1 3", "float[1]; float[3]", {.error = "both"}},
        {"Split-1", "float[4] iota; float[2] {1.5|nan|inf} 3", "float[1]; float[3]", {.error = "whole"}},
        {"Split-{1|2|11|13}", "float[6] iota", "float[2] 0 1; float[2] 2 3; float[2] 4 5"},
        {"Split-{1|2|11|13}", "float[6] iota", "float[6] 0 1 2 3 4 5"},
        {"Split-{1|2|11|13}", "float[5] iota", "float; float", {.error = "equal"}},
        {"Split-18 num_outputs=3", "float[6] iota", "float[2] 0 1; float[2] 2 3; float[2] 4 5"},
        {"Split-18 num_outputs=3", "float[7] iota", "float[3] 0 1 2; float[3] 3 4 5; float[1] 6"},
        {"Split-18 num_outputs=2", "float[1] 5", "float[1] 5; float[0]"},
        {"Split-18 num_outputs=3 axis=-1", "float[2,0]", "float[2,0]; float[2,0]; float[2,0]"},
        {"Split-18 num_outputs=4", "float[5] iota", "float; float; float; float", {.error = "parts"}},
        {"Split-18 num_outputs={3|1|0|-1}", "float[6] iota", "float; float", {.error = "num_outputs"}},
        {"Split-18", "float[6] iota", "float; float", {.error = "neither"}},
        {"Split-18 num_outputs=2", "float[6] iota; int64[2] 3 3", "float; float", {.error = "both"}},
        {"Split-13..", "float[6] iota; int64[2] {3 4|-1 7|max 1|max max|min 6}", "float; float", {.error = "*"}},
        {"Split-13..", "float[6] iota; int64[{0|1|3}] fill 2", "float; float", {.error = "*"}},
        {"Split-13..", "float[6] iota; int64[] 6", "float[6]", {.error = "rank"}},
        {"Split-13.. axis={1|-2}", "float[6] iota; int64[1] 6", "float[6]", {.error = "axis"}},
        {"Split-13..", "float[] 1; int64[1] 1", "float", {.error = "axis"}},
        {"Split-2 axis=-1", "float[2,2] iota", "float[2,1] 0 2; float[2,1] 1 3"},

        {"Split-13 axis=1", "float[N,2*C]", "float[N,C]; float[N,C]"},
        {"Split-13", "float[N]", "float[floor(N/2)]; float[floor(N/2)]"},
        {"Split-18 num_outputs=2", "float[2*N]", "float[N]; float[N]"},
        {"Split-18 num_outputs=2", "float[N]", "float[ceil(N/2)]; float[N-ceil(N/2)]"},
        {"Split-13..", "float[N,4]; int64[2]", "float[?,4]; float[?,4]"},
        {"Split-13..", "float[N,4]; int64[1]", "float[N,4]"},
        {"Split-13..", "float[P+S]; int64[2] P S", "float[P]; float[S]"},
        {"Split-13..", "float; int64[2] 1 2", "float; float"},
        {"Split-13..", "int64[4] N 3 2*N 7; int64[3] 1 2 1", "int64[1] N; int64[2] 3 2*N; int64[1] 7"},
        {"Split-18 num_outputs=2", "int64[3] N 3 2*N", "int64[2] N 3; int64[1] 2*N"},

        {"Split-13", "float[6]", "float[3]; float[3]", {.to = 18, .becomes = "Split-18 num_outputs=2"}},
        {"Split-13", "float[2*N]", "float[N]; float[N]", {.to = 18, .becomes = "Split-18 num_outputs=2"}},
        {"Split-13", "{float[N]|float}", "float; float", {.to = 18, .becomes = "Split-13"}},
        {"Split-18 num_outputs=2", "float[6]", "float; float", {.to = 13, .becomes = "Split-13"}},
        {"Split-18 num_outputs=2", "float[5]", "float; float", {.to = 2, .becomes = "Split-2 split=3,2"}},
        {"Split-18 num_outputs=2", "{float[N]|float}", "float; float", {.error = "*", .to = 13}},
        {"Split-13 axis=-1",
         "float[2,6]; int64[2] 2 4",
         "float; float",
         {.to = 2, .becomes = "Split-2 axis=1 split=2,4"}},
        {"Split-13", "float[6]; int64[2]", "float; float", {.error = "*", .to = 11}},
        {"Split-1", "float[6]; float[2]", "float; float", {.to = 18, .becomes = "Split-1"}},
    });

}  // namespace
}  // namespace split_test_cc
}  // namespace norn::ops::cases
