// Candidates are sorted as integers of score and place. Selected boxes lie in stripes across the wider extent of all
// boxes, so that a candidate is compared with those that are near: where classes are told apart by offsets of their
// boxes, or boxes are small, these are few. Along that axis a box that overlaps the candidate either covers the
// candidate's first stripe, or begins in one behind it that the candidate covers; each stripe has a list of either.
// Stripes are found by a rounded computation that ascends, as coordinates do: what overlaps has a stripe in common.
#include "kernels/cpu/suppression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/radix_sort.h"
#include "kernels/late_output.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace suppression_cc {
namespace {

// Inlined: what is returned in two registers would be put together by way of memory.
[[gnu::always_inline]] inline PlainBox read_box(const float* b, bool centered) {
  if (centered) return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
  return {std::min(b[1], b[3]), std::min(b[0], b[2]), std::max(b[1], b[3]), std::max(b[0], b[2])};
}
// Others overlap nothing: not even boxes of negative width and height, whose area is positive.
bool may_overlap(const PlainBox& b) { return b.area() > 0 && b.left < b.right; }

// A candidate as an integer that ascends as scores descend, and of equal ones as places ascend. NaN comes last.
std::uint64_t key_of(float score, std::uint32_t at) {
  std::uint32_t rank = 0;
  if (!std::isnan(score)) {
    const auto bits = std::bit_cast<std::uint32_t>(score == 0 ? 0.0f : score);
    rank = bits >> 31 ? ~bits : bits | 0x80000000u;
  }
  return std::uint64_t{~rank} << 32 | at;
}
std::uint32_t place_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

// Sorts keys whose places ascend.
void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other) {
  constexpr std::size_t kFew = 64;
  if (keys.size() < kFew) return std::sort(keys.begin(), keys.end());
  other.resize(keys.size());
  if (sort_by_upper_half(keys.data(), keys.size(), other.data()) != keys.data()) keys.swap(other);
}

// Candidates from the best on. Where few of many may be looked at they are sorted some at a time, twice as many each
// time.
class Ranking {
 public:
  Ranking(std::vector<std::uint64_t>& keys, std::int64_t wanted, std::vector<std::uint64_t>& other)
      : keys_(keys), other_(other), some_(2 * std::min(wanted, std::int64_t{1} << 20) + 32) {}
  // The i-th; i grows by one from call to call.
  std::uint64_t operator[](std::size_t i) {
    if (i == sorted_) {
      constexpr std::ptrdiff_t kMany = 8;  // times as many: finding the best costs about as much as a pass of a sort
      const auto size = static_cast<std::ptrdiff_t>(keys_.size()), begin = static_cast<std::ptrdiff_t>(sorted_);
      const bool all = size - begin <= kMany * some_;
      const std::ptrdiff_t end = all ? size : begin + some_;
      if (!all) std::nth_element(keys_.begin() + begin, keys_.begin() + end, keys_.end());
      if (all && begin == 0)
        sort_keys(keys_, other_);
      else
        std::sort(keys_.begin() + begin, keys_.begin() + end);
      sorted_ = static_cast<std::size_t>(end);
      some_ *= 2;
    }
    return keys_[i];
  }

 private:
  std::vector<std::uint64_t>& keys_;
  std::vector<std::uint64_t>& other_;
  std::ptrdiff_t some_;
  std::size_t sorted_ = 0;
};

// The selected boxes of a class.
class Selected {
 public:
  explicit Selected(OverlapLoop loop) : loop_(loop) {}

  // For boxes of these: each(f) calls f(box) for all of them.
  template <class Each>
  void begin(std::size_t count, Each&& each) {
    chunks_.clear();
    next_.clear();
    stripes_ = 1;
    if (count >= kMany) {
      float low[2] = {kNever, kNever}, high[2] = {-kNever, -kNever};
      double sizes[2] = {0, 0};
      each([&](const PlainBox& b) {
        if (!may_overlap(b)) return;
        low[0] = std::min(low[0], b.left);
        high[0] = std::max(high[0], b.right);
        low[1] = std::min(low[1], b.top);
        high[1] = std::max(high[1], b.bottom);
        sizes[0] += static_cast<double>(b.right) - static_cast<double>(b.left);
        sizes[1] += static_cast<double>(b.bottom) - static_cast<double>(b.top);
      });
      double share[2];  // of the extent that a box has on average
      for (int a = 0; a < 2; ++a)
        share[a] = sizes[a] / static_cast<double>(count) / (static_cast<double>(high[a]) - static_cast<double>(low[a]));
      down_ = share[1] < share[0];
      const double least = share[down_];
      if (least > 0 && least < 0.25) {
        stripes_ = static_cast<int>(std::min(1.5 / least, static_cast<double>(kMostStripes)));
        low_ = low[down_];
        scale_ = static_cast<float>(stripes_) / (high[down_] - low[down_]);
      }
    }
    for (Lists* lists : {&covering_, &beginning_}) lists->clear(static_cast<std::size_t>(stripes_));
  }

  bool any_overlaps(const PlainBox& b, float threshold) const {
    const int first = stripe(low_side(b)), last = stripe(high_side(b));
    const BoxChains chains{chunks_.data(), next_.data()};
    return loop_(chains, covering_.first.data() + first, 1, b, threshold) ||
           (last > first && loop_(chains, beginning_.first.data() + first + 1, last - first, b, threshold));
  }
  void add(const PlainBox& b) {
    const int first = stripe(low_side(b)), last = stripe(high_side(b));
    if (stripes_ > 1) add_to(beginning_, first, b);
    for (int s = first; s <= last; ++s) add_to(covering_, s, b);
  }

 private:
  static constexpr std::size_t kMany = 128;
  static constexpr int kMostStripes = 128;
  static constexpr float kNever = BoxChunk::kNever;
  // For each stripe the first and the last chunk, and how many lanes of that are free.
  struct Lists {
    std::vector<std::int32_t> first, last, free;
    void clear(std::size_t stripes) {
      first.assign(stripes, -1);
      last.assign(stripes, -1);
      free.assign(stripes, 0);
    }
  };

  float low_side(const PlainBox& b) const { return down_ ? b.top : b.left; }
  float high_side(const PlainBox& b) const { return down_ ? b.bottom : b.right; }
  // Ascends as x does, whatever is rounded on the way.
  int stripe(float x) const {
    if (stripes_ == 1) return 0;
    const float at = (x - low_) * scale_;
    if (!(at > 0)) return 0;
    return at < static_cast<float>(stripes_) ? static_cast<int>(at) : stripes_ - 1;
  }
  void add_to(Lists& lists, int stripe, const PlainBox& b) {
    const auto s = static_cast<std::size_t>(stripe);
    if (lists.free[s] == 0) {
      const auto next = static_cast<std::int32_t>(chunks_.size());
      chunks_.emplace_back();
      next_.push_back(-1);
      (lists.first[s] < 0 ? lists.first[s] : next_[static_cast<std::size_t>(lists.last[s])]) = next;
      lists.last[s] = next;
      lists.free[s] = BoxChunk::kBoxes;
    }
    chunks_[static_cast<std::size_t>(lists.last[s])].set(BoxChunk::kBoxes - lists.free[s], b);
    --lists.free[s];
  }

  OverlapLoop loop_;
  std::vector<BoxChunk> chunks_;
  std::vector<std::int32_t> next_;  // of a chain
  Lists covering_, beginning_;      // boxes that cover a stripe, and those that begin in it
  int stripes_ = 1;
  bool down_ = false;  // stripes follow one another from top to bottom
  float low_ = 0, scale_ = 0;
};

class Suppression final : public Kernel {
 public:
  explicit Suppression(const SuppressionConfig& c) : c_(c), loop_(overlap_loop()) {}

  void run(void* const* operands, void*) const override {
    const std::int64_t most = c_.has_most ? *static_cast<const std::int64_t*>(operands[2]) : 0;
    const float overlap = c_.has_overlap ? *static_cast<const float*>(operands[3]) : 0.0f;
    if (!(overlap >= 0 && overlap <= 1))
      throw Error(ErrorCode::RuntimeError,
                  "iou_threshold is " + std::to_string(overlap) + ", but has to be from 0 to 1");
    const std::int64_t units = most > 0 ? c_.batches * c_.classes : 0;
    std::vector<std::vector<std::uint32_t>> found(static_cast<std::size_t>(units));
    parallel_ranges(units, 20 * static_cast<double>(c_.boxes), 1, [&](std::int64_t begin, std::int64_t end) {
      Selected selected(loop_);
      std::vector<std::uint64_t> keys, other;
      for (std::int64_t u = begin; u < end; ++u)
        select(operands, u, most, overlap, selected, keys, other, found[static_cast<std::size_t>(u)]);
    });
    std::size_t count = 0;
    for (const auto& boxes : found) count += boxes.size();
    auto* to = static_cast<std::int64_t*>(
        static_cast<LateOutput*>(operands[5])->allocate({static_cast<std::int64_t>(count), 3}));
    for (std::int64_t u = 0; u < units; ++u) {
      const std::int64_t batch = u / c_.classes, class_of_box = u % c_.classes;
      for (const std::uint32_t box : found[static_cast<std::size_t>(u)]) {
        *to++ = batch;
        *to++ = class_of_box;
        *to++ = box;
      }
    }
  }

 private:
  void select(void* const* operands, std::int64_t unit, std::int64_t most, float overlap, Selected& selected,
              std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other,
              std::vector<std::uint32_t>& found) const {
    const float* const boxes = static_cast<const float*>(operands[0]) + unit / c_.classes * c_.boxes * 4;
    const float* const scores = static_cast<const float*>(operands[1]) + unit * c_.boxes;
    keys.resize(static_cast<std::size_t>(c_.boxes));
    std::size_t n = 0;
    if (c_.has_least) {
      const float least = *static_cast<const float*>(operands[4]);
      for (std::int64_t i = 0; i < c_.boxes; ++i)
        if (scores[i] > least) keys[n++] = key_of(scores[i], static_cast<std::uint32_t>(i));
    } else {
      for (; n < keys.size(); ++n) keys[n] = key_of(scores[n], static_cast<std::uint32_t>(n));
    }
    keys.resize(n);
    const auto box_at = [&](std::uint64_t key) {
      return read_box(boxes + std::size_t{4} * place_of(key), c_.centered);
    };
    selected.begin(n, [&](auto&& f) {
      for (const std::uint64_t key : keys) f(box_at(key));
    });
    const base::Stop* const stop = base::current_stop();
    Ranking ranking(keys, most, other);
    for (std::size_t i = 0; i < n && static_cast<std::int64_t>(found.size()) < most; ++i) {
      if (stop && i % 1024 == 1023) stop->check();
      const std::uint64_t key = ranking[i];
      const PlainBox box = box_at(key);
      if (may_overlap(box)) {
        if (selected.any_overlaps(box, overlap)) continue;
        selected.add(box);
      }
      found.push_back(place_of(key));
    }
  }

  SuppressionConfig c_;
  OverlapLoop loop_;
};

std::string refuses(const SuppressionConfig& c) {
  const Shape boxes = {c.batches, c.boxes, 16}, scores = {c.batches, c.classes, c.boxes, 24};
  if (std::string why = extent_refusal({&boxes, &scores}); !why.empty()) return why;
  return c.boxes > std::numeric_limits<std::int32_t>::max() / 4 ? "2^29 boxes" : "";
}
std::unique_ptr<Kernel> make(const SuppressionConfig& c, PackedConstants&) { return std::make_unique<Suppression>(c); }

constexpr Candidate<SuppressionConfig> kSuppressionCandidates[] = {{"stripes", refuses, make}};

}  // namespace
}  // namespace suppression_cc

std::span<const Candidate<SuppressionConfig>> suppression_candidates() { return kSuppressionCandidates; }

}  // namespace norn::kernels
