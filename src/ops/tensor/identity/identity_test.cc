// Identity: every element type, sequences and optionals; what is known of the input is known of the output.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace identity_test_cc {
namespace {

void all(Sample& s) {
  auto& y = s.out(0, s.in(0).dims);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
}

const Cases cases("Identity", {
                                  {"Identity-1..13", "{T[2,3] odd|T[0,4]|T[] random}", "", {.picks = all}},
                                  {"Identity-14..", "{V[2,3] odd|V[0,4]|V[] random}", "", {.picks = all}},
                                  {"Identity", "string[3] \"\" a \"much longer than what fits into the object itself\"",
                                   "string[3] \"\" a \"much longer than what fits into the object itself\""},
                                  {"Identity-14..", "seq(float[2] 1 2 | float[] 3)", "seq(float[2] 1 2 | float[] 3)"},
                                  {"Identity-14", "float[N,3]", "float[N,3]"},
                                  {"Identity-14", "seq(int64[2])", "seq(int64[2])"},
                                  {"Identity-13", "seq(int64[2])", "", {.error = "*"}},
                                  {"Identity-16", "optional(float[2])", "optional(float[2])"},
                                  {"Identity-14", "optional(float[2])", "", {.error = "*"}},
                                  {"Identity-13", "int64[2] N 5", "int64[2] N 5"},
                              });

}  // namespace
}  // namespace identity_test_cc
}  // namespace norn::ops::cases
