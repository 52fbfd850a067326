// GatherND, output element by output element: the coordinates in the data are those of the batch, the index, and the
// rest.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace gather_nd_test_cc {
namespace {

void gather_nd(Sample& s) {
  const auto &d = s.in(0).dims, &i = s.in(1).dims;
  const auto b = static_cast<std::ptrdiff_t>(s.number("batch_dims")), rows = static_cast<std::ptrdiff_t>(i.size()) - 1;
  std::vector<std::int64_t> dims(i.begin(), i.end() - 1);
  dims.insert(dims.end(), d.begin() + b + i.back(), d.end());
  auto& y = s.out(0, dims);
  if (y.empty()) return;
  std::vector<std::int64_t> at(dims.size());
  do {
    std::vector<std::int64_t> from(at.begin(), at.begin() + b);
    for (std::int64_t k = 0; k < i.back(); ++k) {
      std::vector<std::int64_t> where(at.begin(), at.begin() + rows);
      where.push_back(k);
      const auto index = static_cast<std::int64_t>(s.in(1).values[position(where, i)]);
      from.push_back(index < 0 ? index + d[from.size()] : index);
    }
    from.insert(from.end(), at.begin() + rows, at.end());
    y[position(at, dims)] = Sample::element(0, position(from, d));
  } while (next(at, dims));
}

const Cases cases(
    "GatherND",
    {
        {"GatherND", "T[2,3,4] odd; int64[5,{1|2|3}] uniform -2 1", "", {.picks = gather_nd}},
        {"GatherND", "T[2,3,4] odd; int64[2,3,2] uniform -2 1", "", {.picks = gather_nd}},
        {"GatherND-12.. batch_dims=1", "T[2,3,4] odd; int64[2,{1|2}] uniform -3 2", "", {.picks = gather_nd}},
        {"GatherND-12.. batch_dims=1", "T[2,3,3] odd; int64[2,4,2] uniform -3 2", "", {.picks = gather_nd}},
        {"GatherND-12.. batch_dims=2", "T[2,3,4] odd; int64[2,3,1] uniform -4 3", "", {.picks = gather_nd}},
        {"GatherND", "T[4] odd; int64[1] -1", "", {.picks = gather_nd}},
        {"GatherND-12.. batch_dims=1", "int32[2,2,2] iota; int64[2,1] 1 0", "int32[2,2] 2 3 4 5"},
        {"GatherND", "float[2,3] iota; int64[0,1]", "float[0,3]"},
        {"GatherND", "float[2,0]; int64[2,1] 1 -2", "float[2,0]"},
        {"GatherND-12.. batch_dims=1", "float[0,3]; int64[0,4,1]", "float[0,4]"},
        {"GatherND", "float[2,3] iota; int64[1,2] {2 0|0 3|-3 0|0 -4|max 0|0 min}", "", {.error = "index"}},
        {"GatherND", "float[2,0]; int64[1,1] {2|-3}", "", {.error = "index"}},
        {"GatherND", "float[0,2]; int64[1,1] 0", "", {.error = "index"}},
        {"GatherND", "float[2,3] iota; {int64[1,3] 0 0 0|int64[1,0]}", "", {.error = "length"}},
        {"GatherND", "float[2,3] iota; int64[] 0", "", {.error = "scalar"}},
        {"GatherND", "float[] 1; int64[1] 0", "", {.error = "scalar"}},
        {"GatherND-12.. batch_dims={-1|2|9223372036854775807}",
         "float[2,3] iota; int64[2,1] 0 0",
         "",
         {.error = "batch_dims"}},
        {"GatherND-12.. batch_dims=1", "float[2,3] iota; int64[3,1] 0 0 0", "", {.error = "*"}},
        {"GatherND-12.. batch_dims=1", "float[2,3] iota; int64[2,2] 0 0 0 0", "", {.error = "length"}},

        {"GatherND", "float[A,B,C]; int64[N,2]", "float[N,C]"},
        {"GatherND", "float[A,B,C]; int64[N,M,3]", "float[N,M]"},
        {"GatherND", "float[A,B,C]; int64[N,K]", "float"},
        {"GatherND", "float[A,B,C]; int64", "float"},
        {"GatherND", "float; int64[N,2]", "float"},
        {"GatherND-12.. batch_dims=1", "float[4,B,C]; int64[N,2]", "float[4]"},
        {"GatherND", "int64[3] N 5 2*N; int64[2,1] -1 0", "int64[2] 2*N N"},
        {"GatherND", "int64[3] N 5 2*N; int64[1] 1", "int64[] 5"},
        {"GatherND", "int64[3] N 5 2*N; int64[1] 3", "", {.error = "index"}},

        {"GatherND-13", "float[2,3]; int64[1,1]", "", {.to = 11, .becomes = "GatherND-11"}},
        {"GatherND-13 batch_dims=1", "float[2,3]; int64[2,1]", "", {.error = "*", .to = 11}},
    });

}  // namespace
}  // namespace gather_nd_test_cc
}  // namespace norn::ops::cases
