// Transpose against index arithmetic written out.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace transpose_test_cc {
namespace {

void transpose(Sample& s) {
  const auto& d = s.in(0).dims;
  std::vector<std::int64_t> reversed;
  for (std::size_t i = d.size(); i-- > 0;) reversed.push_back(static_cast<std::int64_t>(i));
  const auto perm = s.ints("perm", reversed);
  std::vector<std::int64_t> dims, at(d.size()), from(d.size());
  for (std::int64_t p : perm) dims.push_back(d[p]);
  auto& y = s.out(0, dims);
  if (y.empty()) return;
  do {
    for (std::size_t i = 0; i < d.size(); ++i) from[perm[i]] = at[i];
    y[position(at, dims)] = Sample::element(0, position(from, d));
  } while (next(at, dims));
}

const Cases cases("Transpose",
                  {
                      {"Transpose perm={0,1,2|0,2,1|1,0,2|1,2,0|2,0,1|2,1,0}",
                       "{int32|double|uint8|float16}[2,3,4] iota",
                       "",
                       {.picks = transpose}},
                      {"Transpose perm={0,2,1,3|0,3,1,2|3,1,0,2}", "float[2,17,3,40] random", "", {.picks = transpose}},
                      {"Transpose", "T[3,5,2] odd", "", {.picks = transpose}},
                      {"Transpose", "float[] 4", "float[] 4"},
                      {"Transpose-13", "int64[3] iota", "int64[3] 0 1 2"},
                      {"Transpose-13", "float[0,3]", "float[3,0]"},
                      {"Transpose-13 perm={0,0|0|0,2}", "float[2,3] iota", "", {.error = "*"}},
                      {"Transpose-17 perm=0,2,1,3", "float[N,S,12,64]", "float[N,12,S,64]"},
                      {"Transpose-17 perm=0,2,1,3", "float", "float[?,?,?,?]"},
                      {"Transpose-17 perm=0,2,1,3", "float[N,S]", "", {.error = "*"}},
                      {"Transpose-17", "float[A,B]", "float[B,A]"},
                  });

}  // namespace
}  // namespace transpose_test_cc
}  // namespace norn::ops::cases
