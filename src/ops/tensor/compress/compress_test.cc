// Compress against a walk over the whole input that leaves out what the condition does.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace compress_test_cc {
namespace {

void compress(Sample& s) {
  const auto &d = s.in(0).dims, &condition = s.in(1).dims;
  const bool flat = s.number("axis", 99) == 99;
  const auto axis = static_cast<std::size_t>(flat ? 0 : s.number("axis") < 0 ? s.number("axis") + 3 : s.number("axis"));
  std::vector<double> kept;
  std::vector<std::int64_t> at(3);
  do {
    const std::int64_t k = flat ? position(at, d) : at[axis];
    if (k < condition[0] && s.in(1).values[k] != 0) kept.push_back(Sample::element(0, position(at, d)));
  } while (next(at, d));
  std::vector<std::int64_t> dims = d;
  std::int64_t trues = 0;
  for (const double v : s.in(1).values) trues += v != 0;
  dims[axis] = trues;
  s.out(0, flat ? std::vector<std::int64_t>{trues} : dims) = kept;
}

const Cases cases(
    "Compress",
    {
        {"Compress axis=0",
         "T[3,2,4] odd; {bool[3] 0 1 1|bool[2] 1 0|bool[0]|bool[3] 1 1 1}",
         "",
         {.picks = compress, .late = true}},
        {"Compress axis=1", "T[2,3,4] odd; {bool[3] 0 1 1|bool[2] 1 0|bool[0]}", "", {.picks = compress, .late = true}},
        {"Compress axis=2",
         "T[2,4,3] odd; {bool[3] 0 1 1|bool[2] 1 0|bool[3] 0 0 0}",
         "",
         {.picks = compress, .late = true}},
        {"Compress axis={-1|-2|-3}", "T[3,3,3] odd; bool[3] 1 0 1", "", {.picks = compress, .late = true}},
        {"Compress",
         "T[2,3,2] odd; {bool[12] random|bool[5] 0 1 0 1 1|bool[0]}",
         "",
         {.picks = compress, .late = true}},
        {"Compress", "float[2,3] iota; bool[5] 0 1 0 0 1", "float[2] 1 4", {.late = true}},
        {"Compress axis=0", "float[0,3]; bool[0]", "float[0,3]", {.late = true}},
        {"Compress axis=1", "float[0,3]; bool[2] 0 1", "float[0,1]", {.late = true}},
        // What is false beyond the end leaves out nothing.
        {"Compress axis=0", "float[2] 5 6; bool[4] 0 1 0 0", "float[1] 6", {.late = true}},
        {"Compress axis=0", "float[2] 5 6; bool[3] 0 0 1", "", {.error = "chooses"}},
        {"Compress", "float[2] 5 6; bool[3] 0 0 1", "", {.error = "chooses"}},
        {"Compress", "float[] 5; bool[1] 1", "", {.error = "scalar"}},
        {"Compress", "float[2] 5 6; {bool[] 1|bool[1,2] 1 1}", "", {.error = "rank"}},
        {"Compress-11.. axis={2|-3}", "float[1,2] 5 6; bool[1] 1", "", {.error = "axis"}},
        {"Compress", "float[2]; int32[2]", "", {.error = "takes only"}},

        {"Compress axis=1", "float[N,M]; bool[K]", "float[N,?]"},
        {"Compress", "float[N,M]; bool[K]", "float[?]"},
        {"Compress", "float; bool", "float[?]"},
        {"Compress axis=0", "float; bool", "float"},
        {"Compress axis=0", "float[N,M]; bool[3] 1 0 1", "float[2,M]"},
        {"Compress", "int64[3] N 4 2*N; bool[3] 1 0 1", "int64[2] N 2*N"},

        {"Compress-28 axis=-1", "float[N,M]; bool[K]", "", {.to = 9, .becomes = "Compress-9 axis=1"}},
        {"Compress-28", "float[N,M]; bool[K]", "", {.to = 9, .becomes = "Compress-9"}},
        {"Compress-28 axis=-1", "float; bool[K]", "", {.error = "*", .to = 9}},
    });

}  // namespace
}  // namespace compress_test_cc
}  // namespace norn::ops::cases
