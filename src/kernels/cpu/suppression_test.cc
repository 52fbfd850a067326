// Selected boxes against a comparison of all of them, one by one, in float.
#include "kernels/cpu/suppression.h"

#include <algorithm>
#include <numeric>

#include "kernels/cpu/kernel_test.h"
#include "kernels/late_output.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace suppression_test_cc {
namespace {

using namespace test;

class Rows final : public LateOutput {
 public:
  void* allocate(const Shape& dims) override {
    EXPECT_EQ(dims.size(), 2u);
    EXPECT_EQ(dims[1], 3);
    rows.assign(static_cast<std::size_t>(dims[0] * 3), -1);
    return rows.data();
  }
  std::vector<std::int64_t> rows;
};

struct Sides {
  float left, top, right, bottom, area;
};
Sides sides_of(const float* b, bool centered) {
  Sides s{};
  if (centered)
    s = {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2, 0};
  else
    s = {std::min(b[1], b[3]), std::min(b[0], b[2]), std::max(b[1], b[3]), std::max(b[0], b[2]), 0};
  s.area = (s.right - s.left) * (s.bottom - s.top);
  return s;
}
bool overlap(const Sides& a, const Sides& b, float threshold) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float common = width * height, all = a.area + b.area - common;
  return width > 0 && height > 0 && common > 0 && a.area > 0 && b.area > 0 && all > 0 && common / all > threshold;
}

struct Trial {
  SuppressionConfig config;
  std::vector<float> boxes, scores;
  std::int64_t most = 1 << 30;
  float threshold = 0.5f, least = -std::numeric_limits<float>::infinity();
};

std::vector<std::int64_t> expected(const Trial& t) {
  std::vector<std::int64_t> rows;
  const SuppressionConfig& c = t.config;
  for (std::int64_t u = 0; u < c.batches * c.classes; ++u) {
    const float* scores = t.scores.data() + u * c.boxes;
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < c.boxes; ++i)
      if (!c.has_least || scores[i] > t.least) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return std::isnan(scores[b]) ? !std::isnan(scores[a]) : scores[a] > scores[b];
    });
    std::vector<Sides> taken;
    for (const std::int64_t i : order) {
      if (static_cast<std::int64_t>(taken.size()) >= (c.has_most ? t.most : 0)) break;
      const Sides box = sides_of(t.boxes.data() + (u / c.classes * c.boxes + i) * 4, c.centered);
      if (std::any_of(taken.begin(), taken.end(),
                      [&](const Sides& s) { return overlap(box, s, c.has_overlap ? t.threshold : 0); }))
        continue;
      taken.push_back(box);
      rows.insert(rows.end(), {u / c.classes, u % c.classes, i});
    }
  }
  return rows;
}

std::vector<std::int64_t> selected(Trial& t) {
  Constants constants;
  EXPECT_EQ(suppression_candidates()[0].refuses(t.config), "");
  const auto kernel = suppression_candidates()[0].make(t.config, constants);
  std::vector<std::int64_t> first;
  for (const int width : {1, 3}) {
    const base::ParallelWidth w(width);
    Rows rows;
    void* operands[] = {t.boxes.data(), t.scores.data(), &t.most,
                        &t.threshold,   &t.least,        static_cast<LateOutput*>(&rows)};
    kernel->run(operands, nullptr);
    if (width == 1)
      first = rows.rows;
    else
      EXPECT_EQ(first, rows.rows);
  }
  return first;
}

Trial trial(std::int64_t batches, std::int64_t classes, std::int64_t boxes, float size, unsigned seed) {
  Trial t;
  t.config = {batches, classes, boxes, false, true, true, true};
  const auto at = random_floats(batches * boxes * 2, seed, 0, 100),
             sizes = random_floats(batches * boxes * 2, seed + 1, 0, size);
  for (std::size_t i = 0; i < at.size(); i += 2)
    t.boxes.insert(t.boxes.end(), {at[i], at[i + 1], at[i] + sizes[i], at[i + 1] + sizes[i + 1]});
  t.scores = random_floats(batches * classes * boxes, seed + 2, 0, 1);
  return t;
}

TEST(Suppression, FewAndManyBoxesOfEverySize) {
  unsigned seed = 1;
  for (const std::int64_t boxes : {0, 1, 15, 16, 17, 127, 128, 500, 3000})
    for (const float size : {0.5f, 5.0f, 40.0f, 200.0f})
      for (const float threshold : {0.0f, 0.1f, 0.5f, 1.0f})
        for (const bool centered : {false, true}) {
          Trial t = trial(1, 1, boxes, size, seed++);
          t.threshold = threshold;
          t.config.centered = centered;
          t.most = seed % 3 == 0 ? 20 : 1 << 30;
          t.least = seed % 2 == 0 ? 0.3f : -1;
          ASSERT_EQ(selected(t), expected(t)) << boxes << " of " << size << ", " << threshold;
        }
}

TEST(Suppression, BatchesAndClasses) {
  Trial t = trial(3, 5, 700, 9, 7);
  EXPECT_EQ(selected(t), expected(t));
  t.config.has_least = t.config.has_overlap = false;
  EXPECT_EQ(selected(t), expected(t));
  t.config.has_most = false;
  EXPECT_TRUE(selected(t).empty());
}

// Classes that are told apart by offsets of their boxes, along one axis and along both.
TEST(Suppression, BoxesMovedByTheirClass) {
  for (const bool both : {false, true})
    for (const bool down : {false, true}) {
      Trial t = trial(1, 1, 2000, 60, 3);
      for (std::size_t i = 0; i < 2000; ++i)
        for (std::size_t k = 0; k < 4; ++k)
          if (both || (k % 2 == 0) == down) t.boxes[4 * i + k] += static_cast<float>(i % 20) * 161;
      ASSERT_EQ(selected(t), expected(t)) << both << down;
    }
}

// Overlaps lie at the threshold and one rounding beside it: boxes are of few whole sizes.
TEST(Suppression, SharesOfExactlyTheThreshold) {
  Trial t = trial(1, 1, 1500, 9, 5);
  for (float& x : t.boxes) x = std::floor(x / 3) * 3;
  for (const float threshold : {1.0f / 3, 0.5f, 0.2f, 0.25f, 1.0f / 7, 3.0f / 7}) {
    for (const float beside : {threshold, std::nextafter(threshold, 0.0f), std::nextafter(threshold, 1.0f)}) {
      t.threshold = beside;
      ASSERT_EQ(selected(t), expected(t)) << beside;
    }
  }
}

// The share as it is rounded step by step, and its neighbours.
TEST(Suppression, SharesAreRoundedStepByStep) {
  const auto numbers = random_floats(8 * 1000, 11, 0.1f, 1);
  for (std::size_t i = 0; i < numbers.size(); i += 8) {
    Trial t = trial(1, 1, 2, 1, 0);
    for (std::size_t k = 0; k < 8; ++k) t.boxes[k] = numbers[i + k] + (k % 4 < 2 ? 0 : 1);
    const Sides a = sides_of(t.boxes.data(), false), b = sides_of(t.boxes.data() + 4, false);
    const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top), common = width * height;
    const float share = common / (a.area + b.area - common);
    for (const float threshold : {share, std::nextafter(share, 0.0f)}) {
      t.threshold = threshold;
      ASSERT_EQ(selected(t).size(), threshold == share ? 6u : 3u) << i;
    }
  }
}

TEST(Suppression, OddNumbers) {
  constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  const float odd[] = {0, -0.0f, 1, -1, kInf, -kInf, kNan, 3e38f, -3e38f, 1e-45f, -1e-40f, 1e-20f, 2, 5};
  for (unsigned seed = 0; seed < 60; ++seed) {
    Trial t = trial(1, 2, seed % 2 ? 60 : 400, 30, seed);
    std::mt19937 engine(seed);
    for (float& x : t.boxes)
      if (engine() % 3 == 0) x = odd[engine() % std::size(odd)];
    for (float& x : t.scores)
      if (engine() % 3 == 0) x = odd[engine() % std::size(odd)];
    t.config.centered = seed % 4 < 2;
    t.config.has_least = seed % 3 != 0;
    t.threshold = seed % 5 == 0 ? 0 : seed % 5 == 1 ? 1e-42f : 0.3f;
    if (seed % 7 == 0) t.least = kNan;
    ASSERT_EQ(selected(t), expected(t)) << seed;
  }
}

TEST(Suppression, AThresholdOutsideIsAnError) {
  Trial t = trial(1, 1, 10, 30, 0);
  for (const float threshold : {-0.5f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    t.threshold = threshold;
    EXPECT_THROW(selected(t), Error);
  }
}

}  // namespace
}  // namespace suppression_test_cc
}  // namespace norn::kernels
