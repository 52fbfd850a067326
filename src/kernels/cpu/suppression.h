// Boxes, of which none overlaps a better one by more than a share of both: ONNX NonMaxSuppression. For each batch and
// class the best box that is left is selected, unless it overlaps one that was selected before. Of equal scores the
// first box is the better one; a score that is NaN is below all others.
#pragma once
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: boxes [batches, boxes, 4] and scores [batches, classes, boxes] of float; how many boxes of a class are
// selected at most (int64), from which overlap on a box is left out and the score that one has to be above (float),
// each one number that is read if the configuration says so; then a LateOutput of int64 [selected, 3].
struct SuppressionConfig {
  std::int64_t batches = 1, classes = 1, boxes = 1;
  bool centered = false;  // boxes are centres and sizes, not corners
  bool has_most = false, has_overlap = false, has_least = false;
};
std::span<const Candidate<SuppressionConfig>> suppression_candidates();

struct PlainBox {
  float left, top, right, bottom;
  float area() const noexcept { return (right - left) * (bottom - top); }
};

// Selected boxes, with which one is compared all at a time. Lanes without a box overlap nothing.
struct BoxChunk {
  static constexpr int kBoxes = 16;
  static constexpr float kNever = std::numeric_limits<float>::infinity();
  alignas(64) float left[kBoxes];
  float top[kBoxes], right[kBoxes], bottom[kBoxes];
  BoxChunk() noexcept {
    for (int i = 0; i < kBoxes; ++i) {
      left[i] = top[i] = kNever;
      right[i] = bottom[i] = -kNever;
    }
  }
  void set(int i, const PlainBox& b) noexcept {
    left[i] = b.left;
    top[i] = b.top;
    right[i] = b.right;
    bottom[i] = b.bottom;
  }
};

// Chains of chunks: next[k] is what follows chunk k; -1 ends a chain.
struct BoxChains {
  const BoxChunk* chunks;
  const std::int32_t* next;
};
// Whether the box overlaps one of the boxes in `count` chains that begin with these chunks by more than the threshold.
// All boxes have an area above 0 and a left side that is left of the right one.
using OverlapLoop = bool (*)(const BoxChains& chains, const std::int32_t* first, std::int64_t count,
                             const PlainBox& box, float threshold);
OverlapLoop overlap_loop();

}  // namespace norn::kernels
