// ScatterND against its definition, output[indices[i]] = updates[i].
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace scatter_nd_test_cc {
namespace {

void scatter(Sample& s) {
  const auto &d = s.in(0).dims, &q = s.in(1).dims;
  const auto k = static_cast<std::size_t>(q.back());
  auto& y = s.out(0, d);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
  const auto& updates = s.in(2).dims;
  std::vector<std::int64_t> at(updates.size());
  do {
    const std::vector<std::int64_t> tuple(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(q.size()) - 1);
    const std::vector<std::int64_t> tuples(q.begin(), q.end() - 1);
    std::vector<std::int64_t> to;
    for (std::size_t c = 0; c < k; ++c) {
      const double index = s.in(1).values[position(tuple, tuples) * q.back() + static_cast<std::int64_t>(c)];
      to.push_back(static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(d[c]) : index));
    }
    to.insert(to.end(), at.begin() + static_cast<std::ptrdiff_t>(tuple.size()), at.end());
    y[position(to, d)] = Sample::element(2, position(at, updates));
  } while (next(at, updates));
}

const Cases cases(
    "ScatterND",
    {
        {"ScatterND", "T[2,3,4] odd; int64[2,1] 1 -2; T[2,3,4] odd", "", {.picks = scatter}},
        {"ScatterND", "T[2,3,4] odd; int64[2,2,2] 1 -2 0 0 0 2 -1 -1; T[2,2,4] odd", "", {.picks = scatter}},
        {"ScatterND", "T[2,3,4] odd; int64[2,3] 1 -2 0 0 0 -4; T[2] odd", "", {.picks = scatter}},
        {"ScatterND", "T[2,3] odd; int64[1] 1; T[3] odd", "", {.picks = scatter}},
        // No coordinate: the slice is all of the data.
        {"ScatterND", "float[2,2] 1 2 3 4; int64[1,0]; float[1,2,2] 5 6 7 8", "float[2,2] 5 6 7 8"},
        {"ScatterND", "float[8] 1 2 3 4 5 6 7 8; int64[4,1] 4 3 1 7; float[4] 9 10 11 12",
         "float[8] 1 11 3 10 9 6 7 12"},
        {"ScatterND", "float[3] 1 2 3; int64[3,1] 1 1 -2; float[3] 7 8 9", "float[3] 1 9 3"},
        {"ScatterND-16.. reduction=add", "float[2,2] 1 2 3 4; int64[2,1] 1 1; float[2,2] 10 20 30 40",
         "float[2,2] 1 2 43 64"},
        {"ScatterND-16.. reduction=mul", "int32[2,2] 1 2 3 4; int64[2,2] 1 1 1 1; int32[2] 10 20",
         "int32[2,2] 1 2 3 800"},
        {"ScatterND-18 reduction=max", "int8[3] 1 -2 3; int64[2,1] 1 2; int8[2] -1 0", "int8[3] 1 -1 3"},
        {"ScatterND-18 reduction=min", "double[3] 1 nan 3; int64[3,1] 0 1 2; double[3] nan 5 2", "double[3] nan nan 2"},
        {"ScatterND", "string[3] a b c; int64[1,1] -1; string[1] x", "string[3] a b x"},
        {"ScatterND", "float[3] 1 2 3; int64[0,1]; float[0]", "float[3] 1 2 3"},
        {"ScatterND", "float[2,0]; int64[1,1] 1; float[1,0]", "float[2,0]"},
        {"ScatterND", "float[2,0]; int64[1099511627776,0]; float[1099511627776,2,0]", "float[2,0]"},

        {"ScatterND", "float[3] iota; int64[1,1] {3|-4|max|min}; float[1] 1", "", {.error = "index"}},
        {"ScatterND", "float[3] iota; int64[1,2] 0 0; float[1] 1", "", {.error = "*"}},
        {"ScatterND", "float[3] iota; int64[] 0; float[] 1", "", {.error = "*"}},
        {"ScatterND", "float[] 1; int64[1,0]; float[1] 1", "", {.error = "*"}},
        {"ScatterND", "float[3] iota; int64[2,1] 0 1; float[3] 1 1 1", "", {.error = "*"}},
        {"ScatterND", "float[3,2] iota; int64[2,1] 0 1; float[2,1] 1 1", "", {.error = "*"}},
        {"ScatterND-16 reduction={max|sum}", "float[3] iota; int64[1,1] 0; float[1] 1", "", {.error = "reduction"}},
        {"ScatterND-18 reduction=add", "string[1] a; int64[1,1] 0; string[1] b", "", {.error = "reduced"}},

        {"ScatterND", "float[N,4]; int64[M,1]; float[M,4]", "float[N,4]"},
        {"ScatterND", "float[N,4]; int64[M,K]; float", "float[N,4]"},
        {"ScatterND", "float; int64; float", "float"},
        {"ScatterND-18", "float[3] 1 2 3; int64[1,1] 1; float[1] 9", "float[3] 1 9 3", {.down_to = 11}},
        {"ScatterND-18 reduction=mul", "float[3] 1 2 3; int64[1,1] 1; float[1] 9", "float[3] 1 18 3", {.down_to = 16}},
    });

}  // namespace
}  // namespace scatter_nd_test_cc
}  // namespace norn::ops::cases
