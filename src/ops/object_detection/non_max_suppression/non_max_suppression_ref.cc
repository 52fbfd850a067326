// For each batch and class: the best box that is left is selected, unless it overlaps one that was selected before by
// more than the threshold. Of equal scores the first box is the better one; a score that is NaN is below all others.
//
// Computed in float, the type of the boxes: whether an overlap is exactly the threshold depends on it.
#include "ops/object_detection/non_max_suppression/non_max_suppression.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "opset/reference.h"

namespace norn::ops {
namespace {

struct Box {
  float left, top, right, bottom;
  float area() const { return (right - left) * (bottom - top); }
};

Box read_box(const float* b, bool centered) {
  if (centered) return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
  return {std::min(b[1], b[3]), std::min(b[0], b[2]), std::max(b[1], b[3]), std::max(b[0], b[2])};
}

bool overlap(const Box& a, const Box& b, float threshold) {
  const float left = std::max(a.left, b.left), right = std::min(a.right, b.right), top = std::max(a.top, b.top),
              bottom = std::min(a.bottom, b.bottom);
  if (!(right > left && bottom > top)) return false;
  const float common = (right - left) * (bottom - top), all = a.area() + b.area() - common;
  return common > 0 && a.area() > 0 && b.area() > 0 && all > 0 && common / all > threshold;
}

// The number that an optional input holds.
template <class T>
std::optional<T> number(const opset::ReferenceContext& ctx, int input) {
  if (!ctx.has_input(input) || ctx.input(input).size() == 0) return {};
  if (ctx.input(input).size() > 1) {
    ctx.fail("input " + std::to_string(input) + " has " + std::to_string(ctx.input(input).size()) +
             " elements, but has to be one number");
  }
  return *ctx.input(input).as<T>();
}

void non_max_suppression_ref(opset::ReferenceContext& ctx) {
  const bool centered = boxes_are_centered(ctx);
  const Tensor &boxes = ctx.input(0), &scores = ctx.input(1);
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.dims()[2] != 4 || boxes.dims()[0] != scores.dims()[0] ||
      boxes.dims()[1] != scores.dims()[2]) {
    ctx.fail("boxes " + to_string(boxes.dims()) + " and scores " + to_string(scores.dims()) +
             " have to be batches x boxes x 4 and batches x classes x boxes");
  }
  const std::int64_t most = number<std::int64_t>(ctx, 2).value_or(0);
  const float overlap_threshold = number<float>(ctx, 3).value_or(0);
  const std::optional<float> score_threshold = number<float>(ctx, 4);
  if (!(overlap_threshold >= 0 && overlap_threshold <= 1)) {
    ctx.fail("iou_threshold is " + std::to_string(overlap_threshold) + ", but has to be from 0 to 1");
  }
  const std::int64_t batches = boxes.dims()[0], classes = scores.dims()[1], count = boxes.dims()[1];
  std::vector<std::int64_t> result;
  std::vector<Box> selected;
  std::vector<std::int64_t> order;
  for (std::int64_t b = 0; most > 0 && b < batches; ++b) {
    for (std::int64_t c = 0; c < classes; ++c) {
      const float* score = scores.as<float>() + (b * classes + c) * count;
      order.clear();
      for (std::int64_t i = 0; i < count; ++i)
        if (!score_threshold || score[i] > *score_threshold) order.push_back(i);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
        return std::isnan(score[j]) ? !std::isnan(score[i]) : score[i] > score[j];
      });
      selected.clear();
      for (const std::int64_t i : order) {
        if (static_cast<std::int64_t>(selected.size()) == most) break;
        const Box box = read_box(boxes.as<float>() + (b * count + i) * 4, centered);
        if (std::any_of(selected.begin(), selected.end(),
                        [&](const Box& other) { return overlap(box, other, overlap_threshold); }))
          continue;
        selected.push_back(box);
        result.insert(result.end(), {b, c, i});
      }
    }
  }
  Tensor& y = ctx.output(0, DataType::Int64, {static_cast<std::int64_t>(result.size() / 3), 3});
  std::copy(result.begin(), result.end(), y.as_mutable<std::int64_t>());
}

}  // namespace

void non_max_suppression_references(opset::ReferenceTable& table) {
  table.add(NonMaxSuppression, non_max_suppression_ref);
}

}  // namespace norn::ops
