// For each batch and class: the best box that is left is selected, unless it overlaps one that was selected before by
// more than the threshold. Of equal scores the first box is the better one; a score that is NaN is below all others.
//
// Computed in float, the type of the boxes: whether an overlap is exactly the threshold depends on it.
#include "ops/object_detection/non_max_suppression/non_max_suppression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "opset/reference.h"

namespace norn::ops {
inline namespace non_max_suppression_ref_cc {
namespace {

struct Box {
  float left, top, right, bottom;
  float area() const { return (right - left) * (bottom - top); }
};

Box read_box(const float* b, bool centered) {
  if (centered) return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
  return {std::min(b[1], b[3]), std::min(b[0], b[2]), std::max(b[1], b[3]), std::max(b[0], b[2])};
}

// Boxes that were selected, so that one is compared with several at a time.
struct Boxes {
  std::vector<float> left, top, right, bottom, area;
  std::size_t size() const { return left.size(); }
  void clear() {
    for (auto* list : {&left, &top, &right, &bottom, &area}) list->clear();
  }
  void add(const Box& b) {
    left.push_back(b.left);
    top.push_back(b.top);
    right.push_back(b.right);
    bottom.push_back(b.bottom);
    area.push_back(b.area());
  }
  bool any_overlaps(const Box& a, float threshold) const {
    constexpr std::size_t kTogether = 16;
    const float area_a = a.area();
    if (!(area_a > 0)) return false;
    for (std::size_t first = 0; first < size(); first += kTogether) {
      const std::size_t end = std::min(size(), first + kTogether);
      int found = 0;
      for (std::size_t i = first; i < end; ++i) {
        const float width = std::min(a.right, right[i]) - std::max(a.left, left[i]);
        const float height = std::min(a.bottom, bottom[i]) - std::max(a.top, top[i]);
        const float common = width * height, all = area_a + area[i] - common;
        found |= static_cast<int>(width > 0) & static_cast<int>(height > 0) & static_cast<int>(common > 0) &
                 static_cast<int>(area[i] > 0) & static_cast<int>(all > 0) & static_cast<int>(common / all > threshold);
      }
      if (found) return true;
    }
    return false;
  }
};

// Ascends as scores do; that of NaN is the least.
std::uint32_t rank_of(float score) {
  if (std::isnan(score)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(score == 0 ? 0.0f : score);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
struct Candidate {
  std::uint32_t rank;
  std::int64_t box;
  bool operator<(const Candidate& other) const { return rank > other.rank || (rank == other.rank && box < other.box); }
};

// Candidates from the best on: few of many are looked at, so they are sorted some at a time, twice as many each time.
class Ranking {
 public:
  explicit Ranking(std::vector<Candidate>& all, std::int64_t wanted)
      : all_(all), some_(2 * std::min(wanted, std::int64_t{1} << 20) + 32) {}
  // The i-th; i grows by one from call to call.
  const Candidate& operator[](std::size_t i) {
    if (i == sorted_) {
      const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
      const auto end = all_.end() - begin > some_ ? begin + some_ : all_.end();
      if (end != all_.end()) std::nth_element(begin, end, all_.end());
      std::sort(begin, end);
      sorted_ = static_cast<std::size_t>(end - all_.begin());
      some_ *= 2;
    }
    return all_[i];
  }

 private:
  std::vector<Candidate>& all_;
  std::ptrdiff_t some_;
  std::size_t sorted_ = 0;
};

void non_max_suppression_ref(opset::ReferenceContext& ctx) {
  const NonMaxSuppressionParams p = resolve_non_max_suppression(ctx);
  const Tensor &boxes = ctx.input(0), &scores = ctx.input(1);
  const std::int64_t batches = boxes.dims()[0], classes = scores.dims()[1], count = boxes.dims()[1];
  std::vector<std::int64_t> result;
  Boxes selected;
  std::vector<Candidate> order;
  for (std::int64_t b = 0; p.most > 0 && b < batches; ++b) {
    for (std::int64_t c = 0; c < classes; ++c) {
      const float* score = scores.as<float>() + (b * classes + c) * count;
      order.clear();
      for (std::int64_t i = 0; i < count; ++i)
        if (!p.least_score || score[i] > *p.least_score) order.push_back({rank_of(score[i]), i});
      selected.clear();
      Ranking ranking(order, p.most);
      for (std::size_t i = 0; i < order.size() && static_cast<std::int64_t>(selected.size()) < p.most; ++i) {
        const Candidate& candidate = ranking[i];
        const Box box = read_box(boxes.as<float>() + (b * count + candidate.box) * 4, p.centered);
        if (selected.any_overlaps(box, p.overlap)) continue;
        selected.add(box);
        result.insert(result.end(), {b, c, candidate.box});
      }
    }
  }
  Tensor& y = ctx.output(0, DataType::Int64, {static_cast<std::int64_t>(result.size() / 3), 3});
  std::copy(result.begin(), result.end(), y.as_mutable<std::int64_t>());
}

}  // namespace
}  // namespace non_max_suppression_ref_cc

void non_max_suppression_references(opset::ReferenceTable& table) {
  table.add(NonMaxSuppression, non_max_suppression_ref);
}

}  // namespace norn::ops
