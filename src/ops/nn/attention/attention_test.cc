// From the definition: each query's keys are listed first, and only those are weighed. Scores are small enough for exp.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace attention_test_cc {
namespace {

struct Input {
  const Numbers& x;
  std::int64_t heads;  // of an input of rank 3
  std::int64_t count() const { return x.dims.size() == 4 ? x.dims[1] : heads; }
  std::int64_t length() const { return x.dims[x.dims.size() - 2]; }
  std::int64_t size() const { return x.dims.back() / (x.dims.size() == 4 ? 1 : heads); }
  double at(std::int64_t b, std::int64_t h, std::int64_t s, std::int64_t d) const {
    return x.dims.size() == 4 ? x.at({b, h, s, d}) : x.at({b, s, h * size() + d});
  }
};

double mask_at(const Numbers& mask, std::int64_t b, std::int64_t h, std::int64_t q, std::int64_t k) {
  const std::int64_t index[] = {b, h, q, k};
  std::int64_t at = 0;
  for (std::size_t d = 0; d < mask.dims.size(); ++d) {
    const std::int64_t i = index[4 - mask.dims.size() + d];
    if (d + 1 == mask.dims.size() && i >= mask.dims[d]) return -INFINITY;
    at = at * mask.dims[d] + (mask.dims[d] == 1 ? 0 : i);
  }
  return mask.values[static_cast<std::size_t>(at)];
}

void attended(Sample& s) {
  const Input q{s.in(0), static_cast<std::int64_t>(s.number("q_num_heads"))};
  const Input k{s.in(1), static_cast<std::int64_t>(s.number("kv_num_heads"))};
  const Input v{s.in(2), k.heads};
  const std::int64_t batch = q.x.dims[0], heads = q.count(), rows = q.length(), group = heads / k.count();
  const std::int64_t past = s.has(4) ? s.in(4).dims[2] : 0, total = past + k.length();
  const double scale = s.number("scale", 1 / std::sqrt(static_cast<double>(q.size()))), cap = s.number("softcap");
  const bool flags = s.number("flags") != 0 || (s.has(3) && std::all_of(s.in(3).values.begin(), s.in(3).values.end(),
                                                                        [](double m) { return m == 0 || m == 1; }));
  const auto left = static_cast<std::int64_t>(s.number("left_window_size", -1));
  const auto right = static_cast<std::int64_t>(s.number("right_window_size", -1));
  const auto key = [&](std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t d) {
    return j < past ? s.in(4).at({b, h, j, d}) : k.at(b, h, j - past, d);
  };
  const auto value = [&](std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t d) {
    return j < past ? s.in(5).at({b, h, j, d}) : v.at(b, h, j - past, d);
  };
  const bool packed = q.x.dims.size() == 3;
  auto& y = packed ? s.out(0, {batch, rows, heads * v.size()}) : s.out(0, {batch, heads, rows, v.size()});
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t valid = s.has(6) ? static_cast<std::int64_t>(s.in(6).values[b]) : total;
        const std::int64_t place = r + (s.has(4) ? past : s.has(6) ? valid - rows : 0);
        std::vector<std::int64_t> seen;
        std::vector<double> weights;
        double sum = 0;
        for (std::int64_t j = 0; j < total; ++j) {
          if (s.number("is_causal") != 0 && j > place) continue;
          if (j >= valid || (left >= 0 && j < place - left) || (right >= 0 && j > place + right)) continue;
          const double m = s.has(3) ? mask_at(s.in(3), b, h, r, j) : (flags ? 1 : 0);
          if (flags && s.has(3) && m != 1) continue;
          double dot = 0;
          for (std::int64_t d = 0; d < q.size(); ++d) dot += q.at(b, h, r, d) * key(b, h / group, j, d);
          dot *= scale;
          if (cap > 0) dot = cap * std::tanh(dot / cap);
          seen.push_back(j);
          weights.push_back(std::exp(dot + (flags ? 0 : m)));
          sum += weights.back();
        }
        for (std::int64_t d = 0; d < v.size(); ++d) {
          double mean = 0;
          for (std::size_t i = 0; i < seen.size() && sum > 0; ++i)
            mean += weights[i] / sum * value(b, h / group, seen[i], d);
          y[packed ? ((b * rows + r) * heads + h) * v.size() + d : ((b * heads + h) * rows + r) * v.size() + d] = mean;
        }
      }
}

// Values of both signs cancel.
constexpr With kFloat = {.formula = attended, .types = "float", .tolerance = 1e-6};

const Cases cases(
    "Attention",
    {
        // Few queries, many, more keys than a block has; heads of odd sizes.
        {"Attention", "float[2,3,{1|5|70},8] random; float[2,3,300,8] random 2; float[2,3,300,11] random 3", "",
         kFloat},
        {"Attention scale={0.5|1}", "float[1,2,21,70] random; float[1,2,9,70] random 2; float[1,2,9,64] random 3", "",
         kFloat},
        {"Attention is_causal=1", "float[1,2,{3|70},8] random; float[1,2,70,8] random 2; float[1,2,70,8] random 3", "",
         kFloat},
        {"Attention is_causal=1", "float[1,2,270,8] random; float[1,2,530,8] random 2; float[1,2,530,16] random 3", "",
         kFloat},
        // Groups of heads.
        {"Attention softcap={0|2}", "float[2,6,{1|4|30},8] random; float[2,2,17,8] random 2; float[2,2,17,8] random 3",
         "", kFloat},
        // Rank 3.
        {"Attention q_num_heads=4 kv_num_heads=2",
         "float[2,{1|20},32] random; float[2,7,16] random 2; float[2,7,10] random 3", "", kFloat},
        // Masks of all shapes, for fewer keys too.
        {"Attention",
         "float[2,3,30,8] random; float[2,3,9,8] random 2; float[2,3,9,8] random 3; float[{1|2},{1|3},{1|30},9] random "
         "4",
         "", kFloat},
        {"Attention",
         "float[2,3,{2|30},8] random; float[2,3,9,8] random 2; float[2,3,9,8] random 3; float[1,9] random 4", "",
         kFloat},
        {"Attention",
         "float[2,3,{2|30},8] random; float[2,3,9,8] random 2; float[2,3,9,8] random 3; bool[{1|2},1,1,9] random 4", "",
         kFloat},
        {"Attention is_causal={0|1}",
         "float[2,3,30,8] random; float[2,3,9,8] random 2; float[2,3,9,8] random 3; bool[30,9] random 4", "", kFloat},
        {"Attention-24..",
         "float[2,3,{2|30},8] random; float[2,3,9,8] random 2; float[2,3,9,8] random 3; float[1,4] random 4", "",
         kFloat},
        {"Attention-24..",
         "float[2,3,{2|30},8] random; float[2,3,9,8] random 2; float[2,3,9,8] random 3; bool[{1|2},1,1,4] random 4", "",
         kFloat},
        {"Attention-24.. is_causal={0|1}",
         "float[2,3,30,8] random; float[2,3,9,8] random 2; float[2,3,9,8] random 3; bool[30,4] random 4", "", kFloat},
        // Of one column: for all keys in version 23, for the first one later.
        {"Attention-23", "float[1,1,2,1] 1 1; float[1,1,2,1] 1 1; float[1,1,2,1] 3 5; bool[2,1] 1 1",
         "float[1,1,2,1] 4 4"},
        {"Attention-23", "float[1,1,2,1] 1 1; float[1,1,0,1]; float[1,1,0,1]; bool[2,{0|1}] random", "", kFloat},
        {"Attention-23 is_causal=1",
         "float[1,1,1,1] 1; float[1,1,1,1] 1; float[1,1,1,1] 3; float[1,1] 2; float[1,1,1,1] 1; float[1,1,1,1] 5",
         "float[1,1,1,1] 4; float[1,1,2,1] 1 1; float[1,1,2,1] 5 3"},
        {"Attention-24..", "float[1,1,2,1] 1 1; float[1,1,2,1] 1 1; float[1,1,2,1] 3 5; bool[2,1] 1 1",
         "float[1,1,2,1] 3 3"},
        {"Attention-23",
         "float[1,1,2,1] 1 1; float[1,1,3,1] 1 1 1; float[1,1,3,1] 3 5 7; bool[2,2] 1 1 1 1",
         "",
         {.error = "broadcast to"}},
        // A query that sees nothing.
        {"Attention", "float[1,1,2,1] 1 1; float[1,1,2,1] 1 2; float[1,1,2,1] 3 5; bool[2,2] 0 0 0 1",
         "float[1,1,2,1] 0 5"},
        {"Attention", "float[1,1,2,1] 1 1; float[1,1,2,1] 1 2; float[1,1,2,1] 3 5; float[2,2] -inf -inf -inf 0",
         "float[1,1,2,1] 0 5"},
        // A cache.
        {"Attention is_causal={0|1}",
         "float[1,2,{1|3|30},8] random; float[1,2,30,8] random 2; float[1,2,30,8] random 3; -; float[1,2,12,8] random "
         "4; float[1,2,12,8] random 5",
         "", kFloat},
        {"Attention", "float[1,1,1,1] 0; float[1,1,1,1] 7; float[1,1,1,1] 4; -; float[1,1,2,1] 5 6; float[1,1,2,1] 1 1",
         "float[1,1,1,1] 2; float[1,1,3,1] 5 6 7; float[1,1,3,1] 1 1 4"},
        {"Attention q_num_heads=2 kv_num_heads=2",
         "float[1,20,2] fill 0; float[1,1,2] 7 8; float[1,1,2] 4 4; -; float[1,2,1,1] 5 6; float[1,2,1,1] 2 2",
         "float[1,20,2] fill 3; float[1,2,2,1] 5 7 6 8; float[1,2,2,1] 2 4 2 4"},
        // Padded caches, windows.
        {"Attention-24.. is_causal={0|1}",
         "float[2,2,{3|20},8] random; float[2,2,25,8] random 2; float[2,2,25,8] random 3; -; -; -; int64[2] 25 21", "",
         kFloat},
        {"Attention-25 left_window_size={-1|0|4} right_window_size={-1|0|3}",
         "float[1,2,{3|270},4] random; float[1,2,290,4] random 2; float[1,2,290,4] random 3", "", kFloat},
        // Scores at their four stages.
        {"Attention qk_matmul_output_mode=0 scale=1",
         "float[1,1,1,1] 1; float[1,1,2,1] 2 3; float[1,1,2,1] 1 3; float[1,2] -inf 0",
         "float[1,1,1,1] 3; -; -; float[1,1,1,2] 2 3"},
        {"Attention qk_matmul_output_mode=2 scale=1",
         "float[1,1,1,1] 1; float[1,1,2,1] 2 3; float[1,1,2,1] 1 3; float[1,2] -inf 0",
         "float[1,1,1,1] 3; -; -; float[1,1,1,2] -inf 3"},
        {"Attention qk_matmul_output_mode=3 scale=1",
         "float[1,1,1,1] 1; float[1,1,2,1] 2 3; float[1,1,2,1] 1 3; float[1,2] -inf 0",
         "float[1,1,1,1] 3; -; -; float[1,1,1,2] 0 1"},
        {"Attention", "float[0,2,3,4]; float[0,2,5,4]; float[0,2,5,4]", "float[0,2,3,4]"},
        {"Attention", "float[1,2,0,4]; float[1,2,5,4] random; float[1,2,5,4] random", "float[1,2,0,4]"},
        {"Attention", "float[1,0,2,4]; float[1,0,5,4]; float[1,0,5,3]", "float[1,0,2,3]"},
        {"Attention", "float[1,3,2,4] random; float[1,0,5,4]; float[1,0,5,4]", "", {.error = "multiple"}},
        {"Attention", "float[1,3,2,4] random; float[1,2,5,4] random; float[1,2,5,4] random", "", {.error = "multiple"}},
        {"Attention", "float[1,2,4] random; float[1,2,4] random; float[1,2,4] random", "", {.error = "q_num_heads"}},
        {"Attention", "float[1,2,2,4] random; float[1,2,5,3] random; float[1,2,5,4] random", "", {.error = "*"}},
        {"Attention softmax_precision=7",
         "float[B,H,S,4]; float[B,H,K,4]; float[B,H,K,4]",
         "",
         {.error = "softmax_precision is 7"}},
        {"Attention-24",
         "float[2,1,3,4]; float[2,1,3,4]; float[2,1,3,4]; -; -; -; int64[3]",
         "",
         {.error = "the batch"}},
        {"Attention q_num_heads=2 kv_num_heads=2",
         "float[B,S,8]; float[B,K,6]; float[B,K,8]",
         "",
         {.error = "sizes of a head of Q and K"}},
        {"Attention qk_matmul_output_mode=4",
         "float[1,1,1,1] 1; float[1,1,1,1] 1; float[1,1,1,1] 1",
         "",
         {.error = "qk_matmul_output_mode"}},
        {"Attention-23", "float[B,H,S,D]; float[B,H,T,D]; float[B,H,T,E]; -; float[B,H,P,D]; float[B,H,P,E]",
         "float[B,H,S,E]; float[B,H,P + T,D]; float[B,H,P + T,E]; float[B,H,S,P + T]"},
        {"Attention-23 q_num_heads=4 kv_num_heads=2", "float16[B,S,64]; float16[B,T,32]; float16[B,T,10]",
         "float16[B,S,20]; float16[B,2,T,16]; float16[B,2,T,5]; float16[B,4,S,T]"},
    });

}  // namespace
}  // namespace attention_test_cc
}  // namespace norn::ops::cases
