#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace reduce_test_cc {
namespace {

// Of the middle of three dimensions.
template <double (*combine)(double, double), double (*finish)(double, double)>
void middle(Sample& s) {
  const auto& d = s.in(0).dims;
  auto& y = s.out(0, {d[0], 1, d[2]});
  for (std::int64_t i = 0; i < d[0]; ++i)
    for (std::int64_t k = 0; k < d[2]; ++k) {
      double v = s.in(0).at({i, 0, k});
      for (std::int64_t j = 1; j < d[1]; ++j) v = combine(v, s.in(0).at({i, j, k}));
      y[i * d[2] + k] = finish(v, static_cast<double>(d[1]));
    }
}
double sum(double a, double b) { return a + b; }
double larger(double a, double b) { return a > b ? a : b; }
double mean(double v, double n) { return v / n; }
double same(double v, double) { return v; }

constexpr std::string_view kMatrix = "T[2,3] 1 -2 2 3 0 4; int64[1] -1";

const Cases cases(
    "Reduce",
    {
        // Real numbers, and whole ones, which are truncated.
        {"ReduceSum-13.. keepdims=0", kMatrix, "T[2] 1 7", {.types = "floats signed"}},
        {"ReduceMean-18 keepdims=0", kMatrix, "T[2] 0.33333333333333333 2.33333333333333333", {.types = "floats"}},
        {"ReduceMean-18 keepdims=0", kMatrix, "T[2] 0 2", {.types = "signed"}},
        {"ReduceMax-18.. keepdims=0", kMatrix, "T[2] 2 4", {.types = "floats signed"}},
        {"ReduceMin-18.. keepdims=0", kMatrix, "T[2] -2 0", {.types = "floats signed"}},
        {"ReduceProd-18 keepdims=0", kMatrix, "T[2] -4 0", {.types = "floats signed"}},
        {"ReduceL1-18 keepdims=0", kMatrix, "T[2] 5 7", {.types = "floats signed"}},
        {"ReduceL2-18 keepdims=0", kMatrix, "T[2] 3 5", {.types = "floats signed"}},
        {"ReduceLogSum-18 keepdims=0", kMatrix, "T[2] 0 1.9459101490553132", {.types = "floats"}},
        {"ReduceLogSum-18 keepdims=0", kMatrix, "T[2] 0 1", {.types = "signed"}},
        {"ReduceLogSumExp-18 keepdims=0", kMatrix, "T[2] 2.3265626412674703 4.3265626412674703", {.types = "floats"}},
        {"ReduceLogSumExp-18 keepdims=0", kMatrix, "T[2] 2 4", {.types = "signed"}},
        {"ReduceSumSquare-18 keepdims=0", kMatrix, "T[2] 9 25", {.types = "floats signed"}},
        {"ReduceMean-18",
         "T[{1|3|40},{1|7|33},{1|5|64}] random; int64[1] 1",
         "",
         {.formula = middle<sum, mean>, .types = "float"}},
        {"ReduceMax-18", "T[3,4,5] random; int64[1] {1|-2}", "", {.formula = middle<larger, same>}},

        {"ReduceMax-18..", "T[3] 200 7 9", "T[1] 200", {.types = "unsigned"}},
        {"ReduceMin-18..", "T[3] 200 7 9", "T[1] 7", {.types = "unsigned"}},
        {"ReduceMax-20", "bool[2,2] 0 1 0 0; int64[1] 1", "bool[2,1] 1 0"},
        {"ReduceMin-20", "bool[2,2] 0 1 0 0; int64[1] 1", "bool[2,1] 0 0"},

        {"ReduceSum-13", "float[2,3,4] iota; int64[2] 0 -1", "float[1,3,1] 60 92 124"},
        {"ReduceSum-13 keepdims=0", "float[2,3,4] iota; int64[1] 1", "float[2,4] 12 15 18 21 48 51 54 57"},
        {"ReduceSum-13", "float[2,3,4] iota", "float[1,1,1] 276"},
        {"ReduceSum-13 keepdims=0", "float[2,3,4] iota; int64[0]", "float[] 276"},
        {"ReduceMean-18", "float[] 5", "float[] 5"},
        // No axes may mean none.
        {"ReduceSum-13 noop_with_empty_axes=1", "float[2] -2 3", "float[2] -2 3"},
        {"ReduceL1-18 noop_with_empty_axes=1", "float[2] -2 3; int64[0]", "float[2] 2 3"},
        {"ReduceSumSquare-18 noop_with_empty_axes=1", "float[2] -2 3; int64[0]", "float[2] 4 9"},
        {"ReduceSum-13 noop_with_empty_axes=1", "float[2] -2 3; int64[1] 0", "float[1] 1"},

        // Over nothing.
        {"{ReduceSum|ReduceL1|ReduceL2|ReduceSumSquare}-28 keepdims=0", "float[2,0]; int64[1] 1", "float[2] 0 0"},
        {"{ReduceSum|ReduceL1|ReduceL2|ReduceSumSquare}-28 keepdims=0", "int32[2,0]; int64[1] 1", "int32[2] 0 0"},
        {"ReduceProd-28 keepdims=0", "uint32[2,0]; int64[1] 1", "uint32[2] 1 1"},
        {"ReduceMax-28 keepdims=0", "float16[2,0]; int64[1] 1", "float16[2] -inf -inf"},
        {"ReduceMin-28 keepdims=0", "float[2,0]; int64[1] 1", "float[2] inf inf"},
        {"ReduceMax-28 keepdims=0", "T[2,0]; int64[1] 1", "T[2] min min", {.types = "signed unsigned"}},
        {"ReduceMin-28 keepdims=0", "T[2,0]; int64[1] 1", "T[2] max max", {.types = "signed unsigned"}},
        {"ReduceMax-28 keepdims=0", "bool[2,0]; int64[1] 1", "bool[2] 0 0"},
        {"ReduceMin-28 keepdims=0", "bool[2,0]; int64[1] 1", "bool[2] 1 1"},
        {"{ReduceLogSum|ReduceLogSumExp}-28 keepdims=0", "float[2,0]; int64[1] 1", "float[2] -inf -inf"},
        {"ReduceMean-28 keepdims=0", "float[2,0]; int64[1] 1", "float[2] nan nan"},
        {"ReduceSum-13", "float[0,3]; int64[1] 1", "float[0,1]"},

        // Integers are exact.
        {"ReduceMean-18", "int64[3] 4611686018427387905 4611686018427387905 4611686018427387902",
         "int64[1] 4611686018427387904"},
        {"ReduceMax-18", "int64[3] 4611686018427387905 4611686018427387905 4611686018427387902",
         "int64[1] 4611686018427387905"},
        {"ReduceSum-13", "int64[2] max 1", "int64[1] min"},
        {"ReduceMean-18", "int64[2] -3 0", "int64[1] -1"},
        {"ReduceL2-18", "int64[2] 3458764513820540928 4611686018427387904", "int64[1] 5764607523034234880"},
        {"ReduceL2-18", "int64[1] max", "int64[1] max"},
        {"ReduceProd-18", "int32[2] 1073741824 4", "int32[1] 0"},
        {"ReduceMax-18", "uint64[2] max 1", "uint64[1] max"},

        {"ReduceMax-18", "float[3] 1 nan 3", "float[1] nan"},
        {"ReduceMin-18", "float[2] nan 1", "float[1] nan"},
        {"ReduceLogSumExp-18", "float[2] nan 1", "float[1] nan"},
        {"ReduceLogSumExp-18", "float[2] 1000 1000", "float[1] 1000.6931471805599"},
        {"ReduceLogSumExp-18", "float[2] -inf -inf", "float[1] -inf"},
        {"ReduceLogSumExp-18", "float[2] inf 0", "float[1] inf"},
        {"ReduceMax-18", "float[2] -inf -inf", "float[1] -inf"},

        {"ReduceProd-18", "int64[3] 2 3 4", "int64[1] 24"},
        {"ReduceProd-18", "int64[3] 2 N 4", "int64[1] 8*N"},
        {"ReduceMax-13 keepdims=0", "int64[3] 2 3 4", "int64[] 4"},
        {"ReduceSum-13 noop_with_empty_axes=1", "int64[3] 2 3 4", "int64[3] 2 3 4"},

        {"ReduceMean-13 axes=1", "float[N,C,H]", "float[N,1,H]"},
        {"ReduceMean-18", "float[N,C,H]; int64[2]", "float[?,?,?]"},
        {"ReduceMean-18 keepdims=0", "float[N,C,H]; int64[2]", "float[?]"},
        {"ReduceMean-18 keepdims=0", "float[N,C,H]; int64[K]", "float"},
        {"ReduceMean-18 keepdims=0", "float", "float[]"},
        {"ReduceMean-13 axes={3|1,-2}", "float[N,C,H]", "", {.error = "*"}},
        {"ReduceMean-18", "float[1] 1; {int64[1] 1|int64[2] 0 -1}", "", {.error = "*"}},

        {"ReduceSum-{1|11} axes=1", "float[2,2] 1 2 3 4", "float[2,1] 3 7"},
        {"ReduceMean-{1|11|13} axes=1", "float[2,2] 1 2 3 4", "float[2,1] 1.5 3.5"},
        {"ReduceLogSum-{1|11|13} axes=1", "float[2,2] 1 2 3 4", "float[2,1] 1.0986122886681098 1.9459101490553132"},
        {"ReduceL2-{1|11|13} axes=1", "float[2,2] 1 2 3 4", "float[2,1] 2.23606797749979 5"},
        {"ReduceSum-28", "float[2,2] 1 2 3 4; int64[1] -1", "float[2,1] 3 7", {.down_to = 1}},
        {"ReduceMean-28", "float[2,2] 1 2 3 4; int64[1] -1", "float[2,1] 1.5 3.5", {.down_to = 1}},
        {"ReduceLogSum-28",
         "float[2,2] 1 2 3 4; int64[1] -1",
         "float[2,1] 1.0986122886681098 1.9459101490553132",
         {.down_to = 1}},
        {"ReduceL2-28", "float[2,2] 1 2 3 4; int64[1] -1", "float[2,1] 2.23606797749979 5", {.down_to = 1}},
        {"ReduceSum-28", "float[2,2] 1 2 3 4", "float[1,1] 10", {.down_to = 1}},
        {"ReduceMean-28", "float[2,2] 1 2 3 4", "float[1,1] 2.5", {.down_to = 1}},
        {"ReduceL2-28", "float[2,2] 1 2 3 4", "float[1,1] 5.4772255750516612", {.down_to = 1}},
        {"ReduceLogSum-28", "float[2,2] 1 2 3 4", "float[1,1] 2.302585092994046", {.down_to = 1}},
        {"ReduceSum-11", "float[2,2] 1 2 3 4", "float[1,1] 10"},
        {"ReduceMean-11", "float[2,2] 1 2 3 4", "float[1,1] 2.5"},
        {"ReduceMax-20 noop_with_empty_axes=1", "float[2,2] 1 2 3 4", "float[2,2] 1 2 3 4", {.to = 13}},
        {"ReduceL1-20 noop_with_empty_axes=1", "float[2,2] 1 2 3 4", "", {.error = "*", .to = 13}},
        {"ReduceMax-20", "bool[1] 1", "", {.error = "*", .to = 18}},

        // Integers of the logarithmic ones are lifted through double.
        {"ReduceLogSum-18", "int32[2] 3 5", "int32[1] 2"},
        {"ReduceLogSumExp-18", "int32[2] 3 5", "int32[1] 5"},
        {"ReduceLogSum-28", "int32[2]", "", {.error = "takes only"}},
    });

}  // namespace
}  // namespace reduce_test_cc
}  // namespace norn::ops::cases
