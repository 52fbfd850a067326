// OneHot: each element is on or off by comparing its coordinate along the new axis with the index.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace one_hot_test_cc {
namespace {

void one_hot(Sample& s, bool from_end) {
  const auto& d = s.in(0).dims;
  const auto depth = static_cast<std::int64_t>(s.in(1).values[0]);
  auto axis = static_cast<std::int64_t>(s.number("axis"));
  if (axis < 0) axis += static_cast<std::int64_t>(d.size()) + 1;
  std::vector<std::int64_t> dims = d;
  dims.insert(dims.begin() + axis, depth);
  auto& y = s.out(0, dims);
  if (y.empty()) return;
  std::vector<std::int64_t> at(dims.size());
  do {
    std::vector<std::int64_t> of = at;
    of.erase(of.begin() + axis);
    const double index = std::trunc(s.in(0).values[position(of, d)]), here = static_cast<double>(at[axis]);
    const bool on = index == here || (from_end && index == here - static_cast<double>(depth));
    y[position(at, dims)] = Sample::element(2, on ? 1 : 0);
  } while (next(at, dims));
}
void since_11(Sample& s) { one_hot(s, true); }
void before_11(Sample& s) { one_hot(s, false); }

const Cases cases(
    "OneHot",
    {
        {"OneHot-11.. axis={-3|-2|-1|0|1|2}",
         "int64[2,4] uniform -7 6; int64[] 5; T3[2] odd",
         "T3",
         {.picks = since_11}},
        {"OneHot-11..", "T1[6] uniform 0 6; int64[1] 5; float[2] 2 7", "float", {.picks = since_11}},
        {"OneHot-11..",
         "T1[6] uniform -6 6; int32[] 5; float[2] 2 7",
         "float",
         {.picks = since_11, .types = "int8 int16 int32 int64 float16 float double"}},
        {"OneHot-9", "T1[6] uniform 0 6; int64[1] 5; float[2] 2 7", "float", {.picks = before_11}},
        {"OneHot-9",
         "T1[6] uniform -6 6; int64[] 5; float[2] 2 7",
         "float",
         {.picks = before_11, .types = "int8 int16 int32 int64 float16 float double"}},
        {"OneHot", "int64[3] 2 4 5; T2[] 5; int8[2] 0 1", "int8[3,5] 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0", {.late = true}},
        {"OneHot-9 axis={-1|0|1|2}", "int32[2,4] uniform -6 6; int64[] 5; int8[2] 0 1", "int8", {.picks = before_11}},
        {"OneHot-11..", "int64[3] 0 -1 5; int64[] 3; float[2] 0 1", "float[3,3] 1 0 0 0 0 1 0 0 0"},
        {"OneHot-9", "int64[3] 0 -1 2; int64[] 3; float[2] 0 1", "float[3,3] 1 0 0 0 0 0 0 0 1"},
        {"OneHot", "int64[] 1; int64[] 3; float[2] 0 1", "float[3] 0 1 0"},
        {"OneHot", "int64[4] max min 1 0; int64[] 2; float[2] 0 1", "float[4,2] 0 0 0 0 0 1 1 0"},
        {"OneHot", "uint64[2] max 1; uint64[] 2; float[2] 0 1", "float[2,2] 0 0 0 1", {.late = true}},
        {"OneHot",
         "float[5] nan inf -inf 1.9 -0.5; float[] 2.7; float[2] 0 1",
         "float[5,2] 0 0 0 0 0 0 0 1 1 0",
         {.late = true}},
        {"OneHot", "int64[2] 0 1; int64[] 0; float[2] 0 1", "float[2,0]"},
        {"OneHot axis=0", "int64[0,2]; int64[] 3; float[2] 0 1", "float[3,0,2]"},
        {"OneHot", "int64[1] 0; int64[] {-1|min|max}; float[2] 0 1", "", {.error = "*"}},
        {"OneHot", "int64[1] 0; double[] {nan|inf|-1|1e300}; float[2] 0 1", "", {.error = "depth"}},
        {"OneHot", "int64[1] 0; int64[{0|2}] fill 2; float[2] 0 1", "", {.error = "depth"}},
        {"OneHot", "int64[1] 0; int64[1,1] 2; float[2] 0 1", "", {.error = "depth"}},
        {"OneHot", "int64[1] 0; int64[] 2; float[{0|1|3}] fill 2", "", {.error = "values"}},
        {"OneHot", "int64[1] 0; int64[] 2; {float[] 1|float[1,2] 0 1}", "", {.error = "*"}},
        {"OneHot-11.. axis={-3|2}", "int64[1] 0; int64[] 2; float[2] 0 1", "", {.error = "axis"}},
        {"OneHot-9 axis=-2", "int64[1]; int64[]; float[2]", "", {.error = "axis"}},

        {"OneHot", "int64[N,M]; int64[] D; float16[2]", "float16[N,M,D]"},
        {"OneHot axis=0", "int64[N]; int64[] 7; float", "float[7,N]"},
        {"OneHot axis=1", "int64[N]; float[1] 7; string[2]", "string[N,7]"},
        {"OneHot", "int64[N]; int64[]; float", "float[N,?]"},
        {"OneHot", "int64; int64[] 3; float[2]", "float"},

        {"OneHot-9", "int64[N]; int64[]; float[2]", "", {.to = 28, .becomes = "Cast-28 OneHot-28"}},
        {"OneHot-9", "uint8[N]; int64[]; float[2]", "", {.to = 28, .becomes = "OneHot-28"}},
        {"OneHot-9", "int64[2] 0 1; int64[]; float[2]", "", {.to = 28, .becomes = "OneHot-28"}},
        {"OneHot-9", "{float[N]|?}; int64[]; float[2]", "", {.to = 28, .becomes = "OneHot-9"}},
        {"OneHot-28 axis=-2", "uint8[N]; int64[]; float[2]", "", {.to = 9, .becomes = "OneHot-9 axis=0"}},
        {"OneHot-28", "int64[N]; int64[]; float[2]", "", {.error = "*", .to = 9}},
    });

}  // namespace
}  // namespace one_hot_test_cc
}  // namespace norn::ops::cases
