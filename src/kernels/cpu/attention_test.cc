// Attention and rotations against plain loops in double, over odd sizes, strides and masks; every candidate that takes
// a configuration is run.
#include "kernels/cpu/attention.h"

#include <cstring>
#include <numeric>

#include "base/number.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/rotary.h"

namespace norn::kernels {
namespace {

using namespace test;

struct AttentionCase {
  AttentionConfig c;
  std::vector<float> q, k, v, mask, bias, past_k, past_v;
  std::vector<std::uint8_t> flags;
  std::vector<std::int64_t> lengths;
};

// Memory in the order batch, row, head, column, as reshaped products have it; or batch, head, row, column.
HeadStrides head_strides(std::int64_t heads, std::int64_t rows, std::int64_t size, bool by_rows) {
  if (by_rows) return {heads * rows * size, size, heads * size, 1};
  return {heads * rows * size, rows * size, size, 1};
}
float element(const std::vector<float>& x, const HeadStrides& s, std::int64_t b, std::int64_t h, std::int64_t r,
              std::int64_t d) {
  return x[static_cast<std::size_t>(b * s[0] + h * s[1] + r * s[2] + d * s[3])];
}

AttentionCase attention_case(AttentionConfig c, bool by_rows) {
  AttentionCase t;
  c.q = head_strides(c.heads, c.rows, c.size, by_rows);
  c.k = head_strides(c.kv_heads, c.keys, c.size, by_rows);
  c.v = head_strides(c.kv_heads, c.keys, c.v_size, by_rows);
  c.y_by_rows = by_rows;
  t.q = random_floats(c.batch * c.heads * c.rows * c.size, 1, -2, 2);
  t.k = random_floats(c.batch * c.kv_heads * c.keys * c.size, 2, -2, 2);
  t.v = random_floats(c.batch * c.kv_heads * c.keys * c.v_size, 3, -2, 2);
  t.past_k = random_floats(c.batch * c.kv_heads * c.past * c.size, 4, -2, 2);
  t.past_v = random_floats(c.batch * c.kv_heads * c.past * c.v_size, 5, -2, 2);
  if (c.mask != AttentionMask::None) {
    c.mask_strides = {c.rows * c.mask_keys, 0, c.mask_keys, 1};
    t.mask = random_floats(c.batch * c.rows * c.mask_keys, 6, -3, 3);
    for (std::size_t i = 0; i < t.mask.size(); ++i) {
      t.flags.push_back(i % 3 != 0);
      if (i % 4 == 0) t.mask[i] = -INFINITY;
    }
  }
  if (c.bias) {
    c.bias_strides = {0, c.total(), 0, 1};
    t.bias = random_floats(c.heads * c.total(), 7, -2, 2);
  }
  for (std::int64_t b = 0; b < c.batch; ++b) t.lengths.push_back(c.total() - 2 * b);
  t.c = c;
  return t;
}

std::vector<double> attention_of(const AttentionCase& t) {
  const AttentionConfig& c = t.c;
  std::vector<double> y(static_cast<std::size_t>(c.batch * c.heads * c.rows * c.v_size));
  for (std::int64_t b = 0; b < c.batch; ++b)
    for (std::int64_t h = 0; h < c.heads; ++h)
      for (std::int64_t r = 0; r < c.rows; ++r) {
        const std::int64_t kv = h / (c.heads / c.kv_heads), head = b * c.kv_heads + kv;
        const std::int64_t length = t.lengths[static_cast<std::size_t>(b)];
        const std::int64_t place = c.past > 0 ? r + c.past : c.lengths ? length - c.rows + r : r;
        std::vector<double> s;
        double top = -INFINITY, sum = 0;
        for (std::int64_t j = 0; j < c.total(); ++j) {
          double dot = 0;
          for (std::int64_t d = 0; d < c.size; ++d)
            dot += static_cast<double>(element(t.q, c.q, b, h, r, d)) *
                   (j < c.past ? t.past_k[static_cast<std::size_t>((head * c.past + j) * c.size + d)]
                               : element(t.k, c.k, b, kv, j - c.past, d));
          dot *= c.scale;
          if (c.softcap > 0) dot = c.softcap * std::tanh(dot / c.softcap);
          bool hidden = (c.causal && j > place) || (c.left_window >= 0 && j < place - c.left_window) ||
                        (c.right_window >= 0 && j > place + c.right_window) || (c.lengths && j >= length);
          const double bias = c.bias ? t.bias[static_cast<std::size_t>(h * c.total() + j)] : 0;
          if (!c.bias_behind) dot += bias;
          if (c.mask != AttentionMask::None) {
            const auto m = static_cast<std::size_t>(b * c.mask_strides[0] + r * c.mask_strides[2] + j);
            if (j >= c.mask_keys)
              hidden = true;
            else if (c.mask == AttentionMask::Flags)
              hidden = hidden || !t.flags[m];
            else if (c.mask == AttentionMask::Choice)
              dot = (t.flags[m] != 0) != c.flags_hide ? dot : static_cast<double>(c.hidden);
            else
              dot += static_cast<double>(t.mask[m]);
          }
          if (c.bias_behind) dot += bias;
          s.push_back(hidden ? -INFINITY : dot);
          top = std::max(top, s.back());
        }
        for (double& x : s) sum += x = top == -INFINITY ? 0 : std::exp(x - top);
        const std::int64_t row = c.y_by_rows ? (b * c.rows + r) * c.heads + h : (b * c.heads + h) * c.rows + r;
        for (std::int64_t j = 0; j < c.total(); ++j)
          for (std::int64_t d = 0; d < c.v_size; ++d)
            y[static_cast<std::size_t>(row * c.v_size + d)] +=
                (sum == 0 ? 0 : s[static_cast<std::size_t>(j)] / sum) *
                static_cast<double>(j < c.past ? t.past_v[static_cast<std::size_t>((head * c.past + j) * c.v_size + d)]
                                               : element(t.v, c.v, b, kv, j - c.past, d));
      }
  return y;
}

void run_attention(AttentionCase t, const std::string& what) {
  const std::vector<double> want = attention_of(t);
  int taken = 0;
  for (const auto& candidate : attention_candidates()) {
    if (!candidate.refuses(t.c).empty()) continue;
    ++taken;
    Constants constants;
    const auto kernel = candidate.make(t.c, constants);
    std::vector<float> first;
    const auto scratch = aligned_buffer(kernel->scratch_bytes() + 64);
    std::vector<float> present_k(static_cast<std::size_t>(t.c.batch * t.c.kv_heads * t.c.total() * t.c.size)),
        present_v(static_cast<std::size_t>(t.c.batch * t.c.kv_heads * t.c.total() * t.c.v_size));
    for (int width : {1, 2, 3, 0}) {
      base::ParallelWidth w(width);
      std::vector<float> y(want.size(), -9.0f);
      std::memset(scratch.get(), 0x7f, kernel->scratch_bytes());
      void* mask = t.c.mask == AttentionMask::None       ? nullptr
                   : t.c.mask == AttentionMask::Summands ? static_cast<void*>(t.mask.data())
                                                         : static_cast<void*>(t.flags.data());
      void* operands[] = {t.q.data(),
                          t.k.data(),
                          t.v.data(),
                          mask,
                          t.c.past > 0 ? t.past_k.data() : nullptr,
                          t.c.past > 0 ? t.past_v.data() : nullptr,
                          t.c.lengths ? t.lengths.data() : nullptr,
                          t.c.bias ? t.bias.data() : nullptr,
                          y.data(),
                          t.c.gives_present ? present_k.data() : nullptr,
                          t.c.gives_present ? present_v.data() : nullptr,
                          nullptr};
      kernel->run(operands, scratch.get());
      if (first.empty()) first = y;
      EXPECT_EQ(std::memcmp(first.data(), y.data(), y.size() * sizeof(float)), 0) << what << " at width " << width;
    }
    expect_close(first, want, 1e-5, what + " " + std::string(candidate.name));
    if (t.c.gives_present) {
      for (std::int64_t h = 0; h < t.c.batch * t.c.kv_heads; ++h)
        for (std::int64_t j = 0; j < t.c.total(); ++j)
          ASSERT_EQ(present_k[static_cast<std::size_t>((h * t.c.total() + j) * t.c.size)],
                    j < t.c.past ? t.past_k[static_cast<std::size_t>((h * t.c.past + j) * t.c.size)]
                                 : element(t.k, t.c.k, h / t.c.kv_heads, h % t.c.kv_heads, j - t.c.past, 0))
              << what;
    }
  }
  EXPECT_GT(taken, 0) << what;
}

TEST(Attention, Sizes) {
  for (const auto& [heads, kv_heads] : {std::pair{1, 1}, {6, 2}, {3, 3}})
    for (const std::int64_t rows : {1, 5, 33, 130})
      for (const std::int64_t keys : {1, 7, 300})
        for (const auto& [size, v_size] : {std::pair{64, 64}, {5, 3}, {80, 96}, {16, 16}, {32, 40}})
          for (const bool by_rows : {false, true}) {
            AttentionConfig c{.batch = 2, .heads = heads, .kv_heads = kv_heads, .rows = rows, .keys = keys};
            c.size = size;
            c.v_size = v_size;
            c.scale = 0.3f;
            run_attention(attention_case(c, by_rows),
                          "sizes " + std::to_string(rows) + "," + std::to_string(keys) + "," + std::to_string(size));
          }
}

TEST(Attention, MasksCachesAndWindows) {
  for (const std::int64_t rows : {1, 3, 70})
    for (const std::int64_t past : {0, 13, 290})
      for (const AttentionMask mask : {AttentionMask::None, AttentionMask::Flags, AttentionMask::Summands})
        for (const bool causal : {false, true})
          for (const bool lengths : {false, true})
            for (const std::int64_t window : {-1, 0, 9})
              for (const bool gives_present : {false, true}) {
                AttentionConfig c{.batch = 2, .heads = 2, .kv_heads = 1, .rows = rows, .keys = 75, .past = past};
                c.size = 16;
                c.v_size = 24;
                c.mask = mask;
                c.mask_keys = c.total() - (rows == 3 ? 4 : 0);
                c.causal = causal;
                c.lengths = lengths;
                c.left_window = window;
                c.right_window = window == 9 ? 2 : -1;
                c.gives_present = gives_present;
                c.softcap = causal ? 3.0f : 0.0f;
                c.scale = 0.25f;
                run_attention(attention_case(c, rows == 70),
                              "rows " + std::to_string(rows) + " past " + std::to_string(past));
              }
}

// In double, and all stages of the scores.
TEST(Attention, ProductsInDouble) {
  const auto& candidate = attention_candidates().back();
  ASSERT_EQ(candidate.name, "products");
  for (const std::int64_t rows : {1, 5, 130})
    for (const std::int64_t past : {0, 13})
      for (const AttentionMask mask : {AttentionMask::None, AttentionMask::Flags, AttentionMask::Summands})
        for (const bool causal : {false, true})
          for (const int stage : {-1, 0, 3}) {
            AttentionConfig c{.batch = 2, .heads = 4, .kv_heads = 2, .rows = rows, .keys = 75, .past = past};
            c.size = 17;
            c.v_size = 9;
            c.mask = mask;
            c.mask_keys = c.total() - (rows == 5 ? 4 : 0);
            c.causal = causal;
            c.gives_present = past > 0;
            c.softcap = causal ? 3.0 : 0.0;
            c.scale = 0.3;  // not a float
            AttentionCase t = attention_case(c, rows == 5);
            t.c.type = DataType::Double;
            t.c.scores_stage = stage;
            ASSERT_EQ(candidate.refuses(t.c), "");
            for (std::size_t i = 0; i + 1 < attention_candidates().size(); ++i)
              EXPECT_NE(attention_candidates()[i].refuses(t.c), "");
            const auto wide = [](const std::vector<float>& x) { return std::vector<double>(x.begin(), x.end()); };
            std::vector<double> q = wide(t.q), k = wide(t.k), v = wide(t.v), summands = wide(t.mask),
                                past_k = wide(t.past_k), past_v = wide(t.past_v);
            const std::vector<double> want = attention_of(t);
            std::vector<double> present_k(static_cast<std::size_t>(c.batch * c.kv_heads * c.total() * c.size)),
                present_v(static_cast<std::size_t>(c.batch * c.kv_heads * c.total() * c.v_size)),
                scores(static_cast<std::size_t>(c.batch * c.heads * rows * c.total()), -9.0), y(want.size());
            void* operands[] = {q.data(),
                                k.data(),
                                v.data(),
                                mask == AttentionMask::Summands ? static_cast<void*>(summands.data())
                                                                : static_cast<void*>(t.flags.data()),
                                past > 0 ? past_k.data() : nullptr,
                                past > 0 ? past_v.data() : nullptr,
                                nullptr,
                                nullptr,
                                y.data(),
                                past > 0 ? present_k.data() : nullptr,
                                past > 0 ? present_v.data() : nullptr,
                                stage >= 0 ? scores.data() : nullptr};
            Constants constants;
            const auto kernel = candidate.make(t.c, constants);
            const auto scratch = aligned_buffer(kernel->scratch_bytes() + 64);
            std::memset(scratch.get(), 0x7f, kernel->scratch_bytes());
            kernel->run(operands, scratch.get());
            for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], want[i], 1e-12);
            if (past > 0) {
              EXPECT_EQ(present_k[0], past_k[0]);
              EXPECT_EQ(present_k[static_cast<std::size_t>(past * c.size)], k[0]);
              EXPECT_EQ(present_v[static_cast<std::size_t>(past * c.v_size)], v[0]);
            }
            if (stage == 0) {
              double dot = 0;
              for (std::size_t d = 0; d < 17; ++d) dot += q[d] * (past > 0 ? past_k[d] : k[d]);
              EXPECT_NEAR(scores[0], 0.3 * dot, 1e-12);
            }
            for (std::size_t r = 0; stage == 3 && r < scores.size(); r += static_cast<std::size_t>(c.total())) {
              const double sum = std::accumulate(scores.begin() + static_cast<std::ptrdiff_t>(r),
                                                 scores.begin() + static_cast<std::ptrdiff_t>(r) + c.total(), 0.0);
              ASSERT_TRUE(std::abs(sum - 1) < 1e-12 || sum == 0) << sum;
            }
          }
}

TEST(Attention, ChoicesAndBiases) {
  for (const std::int64_t rows : {1, 3, 70})
    for (const std::int64_t keys : {1, 5, 75, 300})
      for (const AttentionMask mask : {AttentionMask::None, AttentionMask::Summands, AttentionMask::Choice})
        for (const float hidden : {-INFINITY, std::numeric_limits<float>::lowest(), -1.0f})
          for (const bool flags_hide : {false, true})
            for (const bool bias : {false, true})
              for (const bool behind : {false, true}) {
                AttentionConfig c{.batch = 2, .heads = 3, .kv_heads = 3, .rows = rows, .keys = keys};
                c.size = 16;
                c.v_size = 24;
                c.mask = mask;
                c.mask_keys = keys;
                c.hidden = hidden;
                c.flags_hide = flags_hide;
                c.bias = bias;
                c.bias_behind = behind;
                c.softcap = flags_hide ? 3.0f : 0.0f;
                c.scale = 0.25f;
                run_attention(attention_case(c, rows == 70), "rows " + std::to_string(rows) + " keys " +
                                                                 std::to_string(keys) + " hidden " +
                                                                 std::to_string(hidden));
              }
}

// Scores that are NaN, and queries without keys.
TEST(Attention, ProbabilitiesThatAreNanBecomeZeroWhereAsked) {
  for (const std::int64_t rows : {1, 70})
    for (const bool nan_is_zero : {false, true})
      for (const auto& candidate : attention_candidates()) {
        AttentionConfig c{.batch = 1, .heads = 2, .kv_heads = 2, .rows = rows, .keys = 40};
        c.size = 16;
        c.v_size = 8;
        c.mask = AttentionMask::Summands;
        c.mask_keys = 40;
        c.blind_is_nan = !nan_is_zero;
        c.nan_is_zero = nan_is_zero;
        AttentionCase t = attention_case(c, false);
        std::fill(t.mask.begin(), t.mask.end(), 0.0f);
        std::fill_n(t.mask.begin(), 40, -INFINITY);                    // query 0 sees nothing
        t.q[static_cast<std::size_t>((2 * rows - 1) * c.size)] = NAN;  // the last query of head 1
        if (!candidate.refuses(t.c).empty()) continue;
        Constants constants;
        std::vector<float> y(static_cast<std::size_t>(2 * rows * c.v_size), -9.0f);
        const auto kernel = candidate.make(t.c, constants);
        const auto scratch = aligned_buffer(kernel->scratch_bytes() + 64);
        void* operands[] = {t.q.data(), t.k.data(), t.v.data(), t.mask.data(), nullptr, nullptr,
                            nullptr,    nullptr,    y.data(),   nullptr,       nullptr, nullptr};
        kernel->run(operands, scratch.get());
        for (std::int64_t row = 0; row < 2 * rows; ++row) {
          const bool odd = row % rows == 0 || row == 2 * rows - 1;
          for (std::int64_t d = 0; d < c.v_size; ++d) {
            const float value = y[static_cast<std::size_t>(row * c.v_size + d)];
            if (odd && nan_is_zero)
              EXPECT_EQ(value, 0.0f) << candidate.name << ' ' << row;
            else
              EXPECT_EQ(std::isnan(value), odd) << candidate.name << ' ' << row;
          }
        }
      }
}

// The numbers as `type` has them: what a kernel reads, and in x what it means.
std::vector<char> stored(std::vector<float>& x, DataType type) {
  std::vector<char> out(x.size() * element_size(type));
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint16_t half = 0;
    if (type == DataType::Float16)
      x[i] = base::half_to_float(half = base::float_to_half(x[i]));
    else if (type == DataType::BFloat16)
      x[i] = base::bfloat16_to_float(half = base::float_to_bfloat16(x[i]));
    if (type == DataType::Float)
      std::memcpy(out.data() + i * 4, &x[i], 4);
    else
      std::memcpy(out.data() + i * 2, &half, 2);
  }
  return out;
}
std::vector<float> meant(const std::vector<char>& x, DataType type) {
  std::vector<float> out(x.size() / element_size(type));
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t half = 0;
    if (type == DataType::Float)
      std::memcpy(&out[i], x.data() + i * 4, 4);
    else
      std::memcpy(&half, x.data() + i * 2, 2);
    if (type == DataType::Float16) out[i] = base::half_to_float(half);
    if (type == DataType::BFloat16) out[i] = base::bfloat16_to_float(half);
  }
  return out;
}

TEST(Rotary, BothFormsAtAllSizesOfAllTypes) {
  struct Type {
    DataType type;
    double tolerance;
  };
  for (const auto [type, tolerance] :
       {Type{DataType::Float, 1e-6}, Type{DataType::Float16, 5e-4}, Type{DataType::BFloat16, 4e-3}})
    for (const std::int64_t half : {1, 3, 16, 37})
      for (const bool interleaved : {false, true}) {
        RotaryConfig c{.type = type, .batch = 2, .tokens = 3, .heads = 2, .size = 2 * half + 1, .rotated = 2 * half};
        c.x = c.y = {3 * 2 * c.size, 2 * c.size, c.size};
        c.interleaved = interleaved;
        c.by_position = true;
        c.cache_rows = 9;
        auto x = random_floats(2 * 3 * 2 * c.size, 1), cosines = random_floats(9 * half, 2),
             sines = random_floats(9 * half, 3);
        auto x_stored = stored(x, type), cosines_stored = stored(cosines, type), sines_stored = stored(sines, type);
        std::vector<std::int64_t> positions = {0, 8, -9, -1, 4, 3};
        std::vector<double> want(x.begin(), x.end());
        for (std::size_t t = 0; t < 6; ++t)
          for (std::int64_t h = 0; h < 2; ++h)
            for (std::int64_t i = 0; i < half; ++i) {
              const auto first = static_cast<std::int64_t>(t) * 2 * c.size + h * c.size;
              const auto one = static_cast<std::size_t>(first + (interleaved ? 2 * i : i));
              const std::size_t other = one + static_cast<std::size_t>(interleaved ? 1 : half);
              const std::int64_t row = positions[t] < 0 ? positions[t] + 9 : positions[t];
              const double co = cosines[static_cast<std::size_t>(row * half + i)],
                           si = sines[static_cast<std::size_t>(row * half + i)];
              want[one] = co * static_cast<double>(x[one]) - si * static_cast<double>(x[other]);
              want[other] = si * static_cast<double>(x[one]) + co * static_cast<double>(x[other]);
            }
        for (const auto& candidate : rotary_candidates()) {
          ASSERT_EQ(candidate.refuses(c), "");
          Constants constants;
          const auto y = run_at_widths(*candidate.make(c, constants),
                                       {x_stored.data(), cosines_stored.data(), sines_stored.data(), positions.data()},
                                       std::vector<char>(x_stored.size(), 3));
          expect_close(meant(y, type), want, tolerance, std::to_string(half) + ' ' + std::string(data_type_name(type)));
        }
      }
}

}  // namespace
}  // namespace norn::kernels
