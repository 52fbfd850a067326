// ReverseSequence: a step and its mirror image within the sequence add up to its length less one.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace reverse_sequence_test_cc {
namespace {

void reverse(Sample& s) {
  const auto& d = s.in(0).dims;
  const auto batch = static_cast<std::size_t>(s.number("batch_axis")), time = 1 - batch;
  auto& y = s.out(0, d);
  if (y.empty()) return;
  std::vector<std::int64_t> at(d.size());
  do {
    std::vector<std::int64_t> to = at;
    const auto n = static_cast<std::int64_t>(s.in(1).values[at[batch]]);
    if (at[time] < n) to[time] = n - 1 - at[time];
    y[position(to, d)] = Sample::element(0, position(at, d));
  } while (next(at, d));
}

const Cases cases(
    "ReverseSequence",
    {
        {"ReverseSequence", "T[4,3,2] odd; int64[3] {4 0 3|1 2 4}", "", {.picks = reverse}},
        {"ReverseSequence batch_axis=0 time_axis=1", "T[3,4,2] odd; int64[3] 4 0 3", "", {.picks = reverse}},
        {"ReverseSequence", "T[5,1] odd; int64[1] 5", "", {.picks = reverse}},
        {"ReverseSequence", "float[0,2]; int64[2] 0 0", "float[0,2]"},
        {"ReverseSequence", "float[3,0]; int64[0]", "float[3,0]"},
        {"ReverseSequence", "float[2,1] 1 2; int64[1] {3|-1|max|min}", "", {.error = "length"}},
        {"ReverseSequence", "float[2,1] 1 2; int64[2] 1 1", "", {.error = "*"}},
        {"ReverseSequence", "float[2,1] 1 2; {int64[] 1|int64[1,1] 1}", "", {.error = "*"}},
        {"ReverseSequence", "{float[2] 1 2|float[] 1}; int64[1] 1", "", {.error = "axes"}},
        {"ReverseSequence batch_axis={0|2|-1}", "float[2,2] iota; int64[2] 1 1", "", {.error = "axis"}},
        {"ReverseSequence time_axis=1", "float[2,2] iota; int64[2] 1 1", "", {.error = "axis"}},

        {"ReverseSequence", "float[S,B,H]; int64[B]", "float[S,B,H]"},
        {"ReverseSequence", "float[S,B,H]; int64[3]", "float[S,3,H]"},
        {"ReverseSequence", "float; int64", "float"},
        {"ReverseSequence-28", "float[2,2]; int64[2]", "", {.to = 10, .becomes = "ReverseSequence-10"}},
    });

}  // namespace
}  // namespace reverse_sequence_test_cc
}  // namespace norn::ops::cases
