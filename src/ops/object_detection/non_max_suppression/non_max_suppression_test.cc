// Rows of boxes as wide as high: a box of 10 that is moved by k has 10 - k of 10 + k in common with the other.
#include <algorithm>
#include <vector>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace non_max_suppression_test_cc {
namespace {

// Of one class: the best box that is left, again and again.
void one_by_one(Sample& s) {
  const auto& boxes = s.in(0).values;
  const auto& scores = s.in(1).values;
  const auto corner = [&](std::size_t box, std::size_t k, bool high) {
    const float a = static_cast<float>(boxes[4 * box + k]), b = static_cast<float>(boxes[4 * box + k + 2]);
    return high ? std::max(a, b) : std::min(a, b);
  };
  const auto area = [&](std::size_t box) {
    return (corner(box, 1, true) - corner(box, 1, false)) * (corner(box, 0, true) - corner(box, 0, false));
  };
  const auto overlap = [&](std::size_t a, std::size_t b) {
    float common = 1;
    for (const std::size_t k : {std::size_t{1}, std::size_t{0}})
      common *= std::max(
          0.0f, std::min(corner(a, k, true), corner(b, k, true)) - std::max(corner(a, k, false), corner(b, k, false)));
    return common == 0 ? 0 : common / (area(a) + area(b) - common);
  };
  std::vector<bool> seen(scores.size());
  std::vector<std::size_t> taken;
  for (std::size_t turn = 0; turn < scores.size() && static_cast<double>(taken.size()) < s.in(2).values[0]; ++turn) {
    std::size_t best = scores.size();
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (!seen[i] && (best == scores.size() || scores[i] > scores[best])) best = i;
    seen[best] = true;
    if (std::none_of(taken.begin(), taken.end(),
                     [&](std::size_t t) { return overlap(best, t) > static_cast<float>(s.in(3).values[0]); }))
      taken.push_back(best);
  }
  auto& out = s.out(0, {static_cast<std::int64_t>(taken.size()), 3});
  for (std::size_t i = 0; i < taken.size(); ++i) out[3 * i + 2] = static_cast<double>(taken[i]);
}

#define BOXES "float[1,4,4] 0 0 10 10 0 1 10 11 0 5 10 15 0 20 10 30"
#define SCORES "float[1,1,4] 0.5 0.9 0.7 0.2"

const Cases cases(
    "NonMaxSuppression",
    {
        // Shares are 9/11 for 0 and 1, 1/3 for 0 and 2, 6/14 for 1 and 2.
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 9; float[] 0.4", "int64[2,3] 0 0 1 0 0 3", {.late = true}},
        {"NonMaxSuppression",
         BOXES "; " SCORES "; int64[1] 9; float[1] 0.5",
         "int64[3,3] 0 0 1 0 0 2 0 0 3",
         {.late = true}},
        {"NonMaxSuppression",
         BOXES "; " SCORES "; int64[] 9; float[] 1",
         "int64[4,3] 0 0 1 0 0 2 0 0 0 0 0 3",
         {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 2; float[] 1", "int64[2,3] 0 0 1 0 0 2", {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 9", "int64[2,3] 0 0 1 0 0 3", {.late = true}},
        {"NonMaxSuppression",
         BOXES "; " SCORES "; int64[] 9; float[] 1; float[] 0.5",
         "int64[2,3] 0 0 1 0 0 2",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,300,4] uniform 0 9; float[1,1,300] {uniform 0 1|fill 1}; int64[] {1|9|500}; float[] {0|0.25|1}",
         "int64",
         {.formula = one_by_one, .late = true}},
        // Nothing is selected unless it is said how many.
        {"NonMaxSuppression", BOXES "; " SCORES, "int64[0,3]", {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] {0|-1|min}; float[] 0.5", "int64[0,3]", {.late = true}},
        // An overlap of exactly the threshold stays; corners may be swapped.
        {"NonMaxSuppression",
         "float[1,2,4] 0 0 1 2 1 1 0 0; float[1,1,2] 2 1; int64[] 9; float[] 0.5",
         "int64[2,3] 0 0 0 0 0 1",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,2,4] 0 0 1 2 1 1 0 0; float[1,1,2] 2 1; int64[] 9; float[] 0.49",
         "int64[1,3] 0 0 0 ",
         {.late = true}},
        {"NonMaxSuppression center_point_box=1",
         "float[1,2,4] 1 0.5 2 1 0.5 0.5 1 1; float[1,1,2] 2 1; int64[] 9; float[] 0.5",
         "int64[2,3] 0 0 0 0 0 1",
         {.late = true}},
        {"NonMaxSuppression center_point_box=1",
         "float[1,2,4] 1 0.5 2 1 0.5 0.5 1 1; float[1,1,2] 2 1; int64[] 9; float[] 0.49",
         "int64[1,3] 0 0 0 ",
         {.late = true}},
        // Equal scores; NaN; boxes without area overlap nothing.
        {"NonMaxSuppression",
         "float[1,3,4] 0 0 1 1 0 0 1 1 5 5 6 6; float[1,1,3] 1 1 1; int64[] 9; float[] 0.5",
         "int64[2,3] 0 0 0 0 0 2",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,3,4] 0 0 1 1 2 2 3 3 5 5 6 6; float[1,1,3] nan -inf 1; int64[] 9",
         "int64[3,3] 0 0 2 0 0 1 0 0 0",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,3,4] 0 0 1 1 2 2 3 3 5 5 6 6; float[1,1,3] nan -inf 1; int64[] 9; -; float[] -9",
         "int64[1,3] 0 0 2",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,2,4] 0 0 0 1 0 0 0 1; float[1,1,2] 1 1; int64[] 9",
         "int64[2,3] 0 0 0 0 0 1",
         {.late = true}},
        {"NonMaxSuppression",
         "float[2,1,4] 0 0 1 1 0 0 1 1; float[2,2,1] 4 3 2 1; int64[] 1",
         "int64[4,3] 0 0 0 0 1 0 1 0 0 1 1 0",
         {.late = true}},
        {"NonMaxSuppression", "float[1,0,4]; float[1,2,0]; int64[] 1", "int64[0,3]", {.late = true}},
        {"NonMaxSuppression", "float[0,1,4]; float[0,2,1]; int64[] 1", "int64[0,3]", {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 9; float[] {nan|-0.5|1.5}", "", {.error = "iou_threshold"}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[2] 9 9", "", {.error = "one number"}},
        {"NonMaxSuppression", "float[1,N,4]; float[1,1,N]; -; float[] {nan|1.5}", "", {.error = "iou_threshold"}},
        {"NonMaxSuppression center_point_box=2", BOXES "; " SCORES, "", {.error = "center_point_box"}},
        {"NonMaxSuppression", "float[1,4,5]; float[1,1,4]", "", {.error = "*"}},
        {"NonMaxSuppression", "float[1,4,4]; float[2,1,4]", "", {.error = "axis 0 of boxes"}},
        {"NonMaxSuppression", "float[1,4,4]; float[1,1,5]", "", {.error = "boxes"}},
        {"NonMaxSuppression", "float[4,4]; float[1,1,5]", "", {.error = "*"}},
        {"NonMaxSuppression-11", "float[B,N,4]; float[B,C,N]; int64; float; float", "int64[?,3]"},
        {"NonMaxSuppression-11", "float; float", "int64[?,3]"},
    });

}  // namespace
}  // namespace non_max_suppression_test_cc
}  // namespace norn::ops::cases
