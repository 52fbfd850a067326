// Against moments about zero, element by element: what differs from an index along the axes only is of its group.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace mean_variance_normalization_test_cc {
namespace {

void normalized(Sample& s) {
  const auto& dims = s.in(0).dims;
  const auto& x = s.in(0).values;
  auto& y = s.out(0, dims);
  if (x.empty()) return;
  std::vector<bool> reduced(dims.size(), false);
  const auto rank = static_cast<std::int64_t>(dims.size());
  const std::vector<std::int64_t> axes = s.ints("axes", {0, 2, 3});
  for (const std::int64_t axis : axes) reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  if (axes.empty()) reduced.assign(dims.size(), true);
  std::vector<std::int64_t> at(dims.size());
  do {
    long double n = 0, first = 0, second = 0;
    std::vector<std::int64_t> other(dims.size());
    do {
      bool same = true;
      for (std::size_t d = 0; d < dims.size(); ++d) same = same && (reduced[d] || at[d] == other[d]);
      if (!same) continue;
      const long double v = x[static_cast<std::size_t>(position(other, dims))];
      n += 1;
      first += v;
      second += v * v;
    } while (next(other, dims));
    const long double mean = first / n, deviation = std::sqrt(second / n - mean * mean);
    const auto i = static_cast<std::size_t>(position(at, dims));
    y[i] = static_cast<double>((x[i] - mean) / (deviation + 1e-9L));
  } while (next(at, dims));
}

const Cases cases(
    "MeanVarianceNormalization",
    {
        {"MeanVarianceNormalization", "T[2,3,4,2] random", "", {.formula = normalized}},
        {"MeanVarianceNormalization", "T[2,3,1,5] random 7", "", {.formula = normalized, .types = "float double"}},
        {"MeanVarianceNormalization axes={0|1|-1|0,2|-2,-1|2,0,1|[]}", "T[3,4,5] random", "", {.formula = normalized}},
        {"MeanVarianceNormalization axes=2,4,-1", "T[2,1,3,2,2,3] random", "", {.formula = normalized}},
        {"MeanVarianceNormalization axes={0|-1}", "T[7] random", "", {.formula = normalized}},
        // Mean 2, deviation 3.
        {"MeanVarianceNormalization", "float[1,1,2,2] -1 5 5 -1", "float[1,1,2,2] -1 1 1 -1"},
        {"MeanVarianceNormalization axes=1", "float16[1,2] -1000 1000", "float16[1,2] -1 1"},
        // One element, or equal ones, are their own mean.
        {"MeanVarianceNormalization axes=1", "T[3,1] 5 -7 0", "T[3,1] 0 0 0"},
        {"MeanVarianceNormalization", "T[2,1,2,1] fill 3", "T[2,1,2,1] 0 0 0 0"},
        {"MeanVarianceNormalization axes=[]", "T[] 5", "T[] 0"},
        {"MeanVarianceNormalization", "double[1,2,1,2] 1 nan -1 inf", "double[1,2,1,2] nan nan nan nan"},
        {"MeanVarianceNormalization", "{T[0,3,2,2]|T[2,0,3,3]|T[2,3,0,2]}", "", {.formula = normalized}},
        {"MeanVarianceNormalization axes={0|1}", "T[0,4]", "T[0,4]"},
        {"MeanVarianceNormalization-13", "float[N,C,H,W]", "float[N,C,H,W]"},
        {"MeanVarianceNormalization-13 axes=0", "float[N,2*M]", "float[N,2*M]"},
        // The default axes fit images only.
        {"MeanVarianceNormalization", "float[2,3,4] random", "", {.error = "*"}},
        {"MeanVarianceNormalization", "float[] 1", "", {.error = "*"}},
        {"MeanVarianceNormalization axes={2|-3}", "float[2,3] random", "", {.error = "*"}},
        {"MeanVarianceNormalization", "int32[1,1,2,2] random", "", {.error = "takes only"}},
    });

}  // namespace
}  // namespace mean_variance_normalization_test_cc
}  // namespace norn::ops::cases
