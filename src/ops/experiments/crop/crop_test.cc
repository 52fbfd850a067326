// Numbers of ONNX Runtime, which runs models of these years, and a formula that picks elements.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace crop_test_cc {
namespace {

// Behind the first two borders; of the size that is asked for, else up to the other two.
void cropped(Sample& s) {
  const Numbers& x = s.in(0);
  const auto border = s.ints("border", {0, 0, 0, 0}), scale = s.ints("scale");
  const std::int64_t height = scale.empty() ? x.dims[2] - border[1] - border[3] : scale[0];
  const std::int64_t width = scale.empty() ? x.dims[3] - border[0] - border[2] : scale[1];
  const std::vector<std::int64_t> dims = {x.dims[0], x.dims[1], height, width};
  std::vector<double>& out = s.out(0, dims);
  std::vector<std::int64_t> at(4, 0);
  if (count(dims) == 0) return;
  do out[static_cast<std::size_t>(position(at, dims))] = x.at({at[0], at[1], at[2] + border[1], at[3] + border[0]});
  while (next(at, dims));
}

const Cases cases(
    "Crop",
    {
        {"Crop-1 border=1,0,1,1", "float[1,1,3,4] 0 1 2 3 4 5 6 7 8 9 10 11", "float[1,1,2,2] 1 2 5 6"},
        {"Crop-1 border=1,1,0,0 scale=1,2", "float[1,1,3,4] 0 1 2 3 4 5 6 7 8 9 10 11", "float[1,1,1,2] 5 6"},
        {"Crop-1 {border=0,1,2,0|border=1,1,9,9 scale=2,3|scale=1,1|border=0,0,0,0|border=2,3,3,1}",
         "T[2,3,4,5] random",
         "",
         {.formula = cropped}},
        {"Crop-9 scale=2,2", "float[0,3,4,4]", "float[0,3,2,2]"},
        {"Crop-1 border=1,2,3,4", "float[N,C,H,W]", "float[N,C,H - 6,W - 4]"},
        {"Crop-1 border=1,2,3,4 scale=5,6", "float[N,C,H,W]", "float[N,C,5,6]"},
        {"Crop-1 border=2,0,3,0", "float[1,1,4,4] random", "", {.error = "*"}},
        {"Crop-1 border=2,0,0,0 scale=1,3", "float[1,1,4,4] random", "", {.error = "*"}},
        {"Crop-1 border=-1,0,0,0", "float[1,1,4,4] random", "", {.error = "not negative"}},
        {"Crop-1 border=9223372036854775807,1,9223372036854775807,1", "float[1,1,4,4] random", "", {.error = "sizes"}},
        {"Crop-1 border=1,1", "float[1,1,4,4] random", "", {.error = "4 sizes"}},
        {"Crop-1", "float[1,1,4,4] random", "", {.error = "neither border nor scale"}},
        {"Crop-1 scale=1,1", "float[4,4] random", "", {.error = "rank 4"}},
    });

}  // namespace
}  // namespace crop_test_cc
}  // namespace norn::ops::cases
