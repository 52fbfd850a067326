// Every matrix product candidate against three nested loops in double.
#include "kernels/cpu/matmul.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

std::vector<double> plain(const MatMulConfig& c, const std::vector<float>& a, const std::vector<float>& b,
                          const std::vector<float>& cc) {
  const std::size_t rank = c.out.size();
  const std::int64_t m = c.out[rank - 2], n = c.out[rank - 1], k = c.trans_a ? c.a[c.a.size() - 2] : c.a.back();
  std::vector<double> result;
  const std::int64_t batches = element_count(c.out) / (m * n);
  auto start = [&](const Shape& dims, std::int64_t batch) {  // of the matrix that this batch uses
    std::int64_t at = 0, step = dims[dims.size() - 1] * dims[dims.size() - 2];
    for (std::size_t d = rank - 2; d-- > 0;) {
      const std::int64_t i = batch % c.out[d];
      batch /= c.out[d];
      if (d + dims.size() < rank) continue;
      const std::int64_t size = dims[d + dims.size() - rank];
      if (size != 1) at += i * step;
      step *= size;
    }
    return at;
  };
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const float* pa = a.data() + start(c.a, batch);
    const float* pb = b.data() + start(c.b, batch);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < k; ++l)
          sum += double(c.trans_a ? pa[l * m + i] : pa[i * k + l]) * (c.trans_b ? pb[j * k + l] : pb[l * n + j]);
        sum *= c.alpha;
        const std::int64_t index = (batch * m + i) * n + j;
        if (c.has_c) sum += c.beta * broadcast_value({c.c}, cc.data(), c.out, index);
        result.push_back(sum);
      }
    }
  }
  return result;
}

// The elements of a dense operand where its strides say, with NaN between them.
std::vector<float> spread(const std::vector<float>& dense, const Shape& dims,
                          const std::vector<std::int64_t>& strides) {
  if (strides.empty()) return dense;
  std::vector<float> all;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    std::size_t at = 0, rest = i;
    for (std::size_t d = dims.size(); d-- > 0;) {
      at += rest % static_cast<std::size_t>(dims[d]) * static_cast<std::size_t>(strides[d]);
      rest /= static_cast<std::size_t>(dims[d]);
    }
    if (at >= all.size()) all.resize(at + 1, std::numeric_limits<float>::quiet_NaN());
    all[at] = dense[i];
  }
  return all;
}

int check(MatMulConfig config, bool constant, unsigned seed, const std::string& what) {
  const auto a = random_floats(element_count(config.a), seed),
             b = random_floats(element_count(config.b), seed + 1, -0.3f, 0.3f),
             c = random_floats(element_count(config.c), seed + 2);
  if (constant) {
    config.b_constant = {b.data()};
    if (config.has_c) config.c_constant = c.data();
  }
  PostOperands posts(config.extra, seed + 3);
  auto want = plain(config, a, b, c);
  apply_steps(want, config.out, config.post, config.extra, posts.contents);
  const auto laid_a = spread(a, config.a, config.a_strides), laid_b = spread(b, config.b, config.b_strides);
  std::vector<void*> operands = {const_cast<float*>(laid_a.data()), const_cast<float*>(laid_b.data()),
                                 config.has_c ? const_cast<float*>(c.data()) : nullptr};
  const OutputBefore output = posts.append_to(operands, config.in_place_extra, want.size());
  int accepted = 0;
  for (const auto& candidate : matmul_candidates()) {
    if (!candidate.refuses(config).empty()) continue;
    ++accepted;
    Constants constants;
    auto kernel = candidate.make(config, constants);
    expect_close(run_at_widths(*kernel, operands, output.contents, output.aliased), want, 3e-5,
                 what + " by " + std::string(candidate.name));
  }
  return accepted;
}

struct Sizes {
  Shape a, b, out;  // without transposition
};
const std::vector<Sizes>& sizes() {
  static const std::vector<Sizes> all = {
      {{1, 1}, {1, 1}, {1, 1}},
      {{1, 64}, {64, 32}, {1, 32}},
      {{3, 5}, {5, 7}, {3, 7}},
      {{1, 500}, {500, 1003}, {1, 1003}},
      {{7, 33}, {33, 64}, {7, 64}},
      {{13, 700}, {700, 65}, {13, 65}},
      {{128, 256}, {256, 384}, {128, 384}},
      {{280, 384}, {384, 500}, {280, 500}},
      {{197, 130}, {130, 100}, {197, 100}},
      {{300, 64}, {64, 10}, {300, 10}},
      {{2, 5, 9}, {9, 11}, {2, 5, 11}},
      {{4, 6, 9}, {4, 9, 11}, {4, 6, 11}},
      {{12, 64, 32}, {12, 32, 64}, {12, 64, 64}},
      {{2, 1, 6, 9}, {3, 9, 5}, {2, 3, 6, 5}},
      {{6, 9}, {3, 9, 5}, {3, 6, 5}},
      {{1, 4, 3}, {1, 3, 2}, {1, 4, 2}},
      {{41, 70}, {70, 1}, {41, 1}},
      {{70, 7}, {7, 1}, {70, 1}},
      {{3, 9, 13}, {3, 13, 1}, {3, 9, 1}},
      {{2, 3, 9, 33}, {3, 33, 1}, {2, 3, 9, 1}},
      {{70, 3}, {4, 3, 2}, {4, 70, 2}},
      {{3, 1100, 4}, {3, 4, 3}, {3, 1100, 3}},
      {{5, 64, 2}, {2, 4}, {5, 64, 4}},
      {{50, 5}, {5, 64}, {50, 64}},
      {{197, 33}, {33, 112}, {197, 112}},
      {{2, 300, 16}, {16, 1024}, {2, 300, 1024}},
      {{40, 17, 33}, {40, 33, 41}, {40, 17, 41}},
      {{3, 1, 23, 8}, {2, 8, 67}, {3, 2, 23, 67}},
  };
  return all;
}

MatMulConfig config_of(const Sizes& s, bool trans_a, bool trans_b) {
  MatMulConfig config{.a = s.a, .b = s.b, .out = s.out, .trans_a = trans_a, .trans_b = trans_b};
  if (trans_a) std::swap(config.a[s.a.size() - 1], config.a[s.a.size() - 2]);
  if (trans_b) std::swap(config.b[s.b.size() - 1], config.b[s.b.size() - 2]);
  return config;
}

TEST(MatMul, ShapesTransposedOrNot) {
  unsigned seed = 1;
  for (const Sizes& s : sizes()) {
    for (int form = 0; form < 8; ++form) {
      MatMulConfig config = config_of(s, (form & 1) != 0, (form & 2) != 0);
      const std::string what = to_string(config.a) + " x " + to_string(config.b) + " form " + std::to_string(form);
      EXPECT_GE(check(config, (form & 4) != 0, ++seed, what), 1) << what;
      if (HasFailure()) return;
    }
  }
}

// Strides of dims as they lie after their dimensions were put into the order `memory` (outermost first), with `gap`
// elements behind each row.
std::vector<std::int64_t> strides_of(const Shape& dims, std::vector<std::size_t> memory, std::int64_t gap) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t step = 1;
  for (std::size_t i = memory.size(); i-- > 0; step += i + 2 == memory.size() ? gap : 0) {
    strides[memory[i]] = step;
    step *= dims[memory[i]];
  }
  return strides;
}

TEST(MatMul, FactorsAreReadWhereTheyLie) {
  unsigned seed = 500;
  int thin = 0, others = 0;
  for (const Sizes& s : sizes()) {
    for (int form = 0; form < 4; ++form) {
      MatMulConfig config = config_of(s, (form & 1) != 0, (form & 2) != 0);
      const auto orders = [](std::size_t rank) {  // as it is, matrices transposed, heads inside rows
        std::vector<std::vector<std::size_t>> all(3, std::vector<std::size_t>(rank));
        for (auto& order : all) std::iota(order.begin(), order.end(), std::size_t{0});
        std::swap(all[1][rank - 1], all[1][rank - 2]);
        if (rank > 2) std::swap(all[2][rank - 2], all[2][rank - 3]);
        return all;
      };
      for (const auto& a_order : orders(config.a.size()))
        for (const auto& b_order : orders(config.b.size()))
          for (const std::int64_t gap : {0, 3}) {
            config.a_strides = strides_of(config.a, a_order, gap);
            config.b_strides = strides_of(config.b, b_order, gap);
            const int accepted = check(config, false, ++seed, to_string(config.a) + " x " + to_string(config.b));
            (s.out[s.out.size() - 2] <= 4 ? thin : others) += accepted;
            if (HasFailure()) return;
          }
    }
  }
  EXPECT_GT(thin, 100);
  EXPECT_GT(others, 100);
}

TEST(MatMul, AlphaBetaAndC) {
  unsigned seed = 1000;
  for (const Sizes& s : sizes()) {
    const std::int64_t m = s.out[s.out.size() - 2], n = s.out.back();
    for (const Shape& c : {Shape{}, Shape{n}, Shape{1, n}, Shape{m, 1}, Shape{m, n}, s.out}) {
      for (auto [alpha, beta] : {std::pair{1.0f, 1.0f}, {0.5f, 1.0f}, {1.0f, 0.25f}, {2.0f, 0.0f}}) {
        MatMulConfig config = config_of(s, false, false);
        config.alpha = alpha;
        config.beta = beta;
        config.has_c = true;
        config.c = c;
        config.post = {{ElementOp::Relu}};
        ++seed;
        EXPECT_GE(check(config, seed % 2 == 0, seed + 1, to_string(config.a) + " + " + to_string(c)), 1);
        if (HasFailure()) return;
      }
    }
  }
}

// Matrices of A that lie between each other, element by element, as a transposition of all dimensions leaves them.
TEST(MatMul, BatchesInsideOfATransposed) {
  unsigned seed = 2400;
  for (const Sizes& s : {Sizes{{5, 31, 20}, {20, 64}, {5, 31, 64}}, Sizes{{10, 50, 70}, {70, 300}, {10, 50, 300}}})
    for (int form = 0; form < 4; ++form) {
      MatMulConfig config = config_of(s, false, (form & 1) != 0);
      config.a_strides = {s.a[1], 1, s.a[0] * s.a[1]};
      if (form & 2) {
        config.post = {{ElementOp::Add, 0, 0, 0}};
        config.extra = {{s.out}};
      }
      EXPECT_GE(check(config, false, ++seed, to_string(config.a) + " form " + std::to_string(form)), 1);
    }
}

// Bit 1 of `form`: C and alpha; bit 2: steps that follow.
void add_more(MatMulConfig& config, int form) {
  if (form & 2) {
    config.has_c = true;
    config.alpha = 0.5f;
    config.c = {config.out.back()};
  }
  if (form & 4) {
    config.post = {{ElementOp::Add, 0, 0, 0}, {ElementOp::Relu}};
    config.extra = {{config.out}};
  }
}

// Large enough to be cut into pieces, by rows, by columns and by both.
TEST(MatMul, BTransposedInPieces) {
  unsigned seed = 2450;
  for (const Sizes& s : {Sizes{{150, 151}, {151, 203}, {150, 203}}, Sizes{{131, 64}, {64, 801}, {131, 801}},
                         Sizes{{600, 70}, {70, 900}, {600, 900}}, Sizes{{9, 140, 90}, {9, 90, 150}, {9, 140, 150}},
                         Sizes{{2, 1, 260, 70}, {3, 70, 130}, {2, 3, 260, 130}}}) {
    for (int form = 0; form < 8; ++form) {
      MatMulConfig config = config_of(s, (form & 1) != 0, true);
      add_more(config, form);
      EXPECT_GE(check(config, false, ++seed, to_string(config.a) + " form " + std::to_string(form)), 1);
      if (HasFailure()) return;
    }
  }
}

// Large enough to be cut into pieces; A is dense, or lies with gaps, and its matrices are used several times.
TEST(MatMul, ATransposedAndMoreAdded) {
  unsigned seed = 2500;
  for (const Sizes& s :
       {Sizes{{200, 150}, {150, 200}, {200, 200}}, Sizes{{67, 33}, {33, 300}, {67, 300}},
        Sizes{{2, 1, 37, 70}, {3, 70, 300}, {2, 3, 37, 300}}, Sizes{{3, 131, 70}, {70, 70}, {3, 131, 70}}}) {
    for (int form = 0; form < 16; ++form) {
      MatMulConfig config = config_of(s, true, (form & 1) != 0);
      add_more(config, form);
      if (form & 8) {
        std::vector<std::size_t> order(config.a.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        config.a_strides = strides_of(config.a, order, 5);
      }
      EXPECT_GE(check(config, false, ++seed, to_string(config.a) + " form " + std::to_string(form)), 1);
      if (HasFailure()) return;
    }
  }
}

TEST(MatMul, StepsThatFollow) {
  const std::vector<std::vector<ElementStep>> steps = {{{ElementOp::Gelu}},
                                                       {{ElementOp::GeluTanh}},
                                                       {{ElementOp::Tanh}},
                                                       {{ElementOp::Softplus}},
                                                       {{ElementOp::Add, 0, 0, 0}, {ElementOp::Relu}},
                                                       {{ElementOp::Mul, 0, 0, 1}, {ElementOp::Add, 0, 0, 2}},
                                                       {{ElementOp::Sub, 0, 0, 1, true}, {ElementOp::Div, 0, 0, 0}},
                                                       {{ElementOp::Max, 0, 0, 2}},
                                                       {{ElementOp::Add, 0, 0, 3}}};
  unsigned seed = 3000;
  for (const Sizes& s : sizes()) {
    for (const auto& post : steps) {
      MatMulConfig config = config_of(s, false, false);
      config.has_c = seed % 2 == 0;
      config.c = {s.out.back()};
      config.post = post;
      config.extra = {{s.out}, {{s.out.back()}}, {{}}, {{s.out[s.out.size() - 2], 1}}};
      ++seed;
      EXPECT_GE(
          check(config, seed % 3 != 0, seed + 1, to_string(config.a) + " then op " + std::to_string(int(post[0].op))),
          1);
      if (HasFailure()) return;
    }
  }
}

// A row for all rows as the bias, then another value, bounds or a function of what that gives.
TEST(MatMul, RowsThenValuesThenBounds) {
  unsigned seed = 4000;
  std::vector<Sizes> several = sizes();
  // Tiles and panels that are not full, and rows in several stretches.
  several.insert(several.end(), {{{5, 70}, {70, 48}, {5, 48}},
                                 {{101, 96}, {96, 328}, {101, 328}},
                                 {{2, 11, 2100}, {2100, 128}, {2, 11, 128}},
                                 {{515, 290}, {290, 230}, {515, 230}},
                                 {{104, 70}, {70, 512}, {104, 512}},
                                 {{55, 1030}, {1030, 512}, {55, 512}}});
  for (const Sizes& s : several) {
    const ElementStep row{ElementOp::Add, 0, 0, 0}, value{ElementOp::Add, 0, 0, 1}, factor{ElementOp::Mul, 0, 0, 1};
    const ElementStep clip{ElementOp::Clip, -0.5f, 0.25f}, swish{ElementOp::Swish, 1.0f};
    const std::vector<std::vector<ElementStep>> all = {{row},        {row, value},         {row, value, clip},
                                                       {row, clip},  {row, swish, factor}, {value, swish},
                                                       {value, row}, {swish, value}};
    for (const auto& post : all) {
      MatMulConfig config = config_of(s, false, seed % 2 == 0);
      config.post = post;
      config.extra = {{{s.out.back()}}, {s.out}};
      ++seed;
      const bool constant = s.b.back() < 512 || seed % 3 == 0;  // or rows that take each other's place in caches
      EXPECT_GE(check(config, constant, seed, to_string(config.a) + " then " + std::to_string(post.size())), 1);
      if (HasFailure()) return;
    }
  }
}

// A step of decoding and what came before it read one packed form.
TEST(MatMul, FewRowsAndManyShareTheirPanels) {
  struct Recipes final : PackedConstants {
    std::set<std::string, std::less<>> made;
    std::shared_ptr<const void> get(const Contents&, std::size_t, std::string_view recipe,
                                    const std::function<std::shared_ptr<const void>()>& make,
                                    std::span<const Contents>) override {
      made.emplace(recipe);
      return make();
    }
  };
  const auto b = random_floats(96 * 200, 1);
  Recipes recipes;
  std::vector<std::string> names;
  for (const std::int64_t m : {1, 4, 5, 40, 500}) {
    const MatMulConfig config{.a = {m, 96}, .b = {96, 200}, .out = {m, 200}, .b_constant = {b.data()}};
    for (const auto& candidate : matmul_candidates()) {
      if (!candidate.refuses(config).empty()) continue;
      names.emplace_back(candidate.name);
      candidate.make(config, recipes);
      break;
    }
  }
  if (names.back() != "simd-panels") GTEST_SKIP() << "vectors are too short";
  EXPECT_EQ(recipes.made.size(), 1u) << ::testing::PrintToString(recipes.made);
}

TEST(MatMul, ASumInPlace) {
  unsigned seed = 5000;
  for (const Sizes& s : sizes()) {
    MatMulConfig config = config_of(s, false, false);
    config.has_c = true;
    config.c = {s.out.back()};
    config.post = {{ElementOp::Add, 0, 0, 0}, {ElementOp::Sigmoid}};
    config.extra = {{s.out}};
    config.in_place_extra = 0;
    const int accepted = check(config, true, ++seed, to_string(config.a) + " in place");
    if (matmul_candidates().size() > 1) {
      EXPECT_EQ(accepted, 1);
    }
    if (HasFailure()) return;
  }
}

// Factors rounded to bfloat16: the product of these, summed in f32.
TEST(MatMul, FactorsInBFloat16) {
  const auto rounded = [](std::vector<float> values) {
    for (float& v : values) v = base::bfloat16_to_float(base::float_to_bfloat16(v));
    return values;
  };
  int made = 0;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 200},
                             {5, 200},
                             {64, 200},
                             {200, 200},
                             {9, 777},
                             {70, 1001},
                             {150, 800}}) {
    for (const bool transposed : {false, true}) {
      MatMulConfig c;
      c.a = {2, m, 300};
      c.b = transposed ? Shape{n, 300} : Shape{300, n};
      c.out = {2, m, n};
      c.trans_b = transposed;
      c.has_c = true;
      c.c = {n};
      c.post = {
          {ElementOp::Relu}, {ElementOp::Add, 0, 0, 0}, {ElementOp::Sub, 0, 0, 1, true}, {ElementOp::Mul, 0, 0, 2}};
      c.extra = {{{2, m, n}}, {{n}}, {{1}}};
      // Of a column: not done row by row.
      if (transposed) c.extra[1].dims = {m, 1};
      const auto a = random_floats(element_count(c.a), 1), b = random_floats(element_count(c.b), 2, -0.3f, 0.3f),
                 row = random_floats(n, 3);
      c.b_constant = {b.data()};
      c.c_constant = row.data();
      PostOperands posts(c.extra, 4);
      auto want = plain(c, rounded(a), rounded(b), row), exact = plain(c, a, b, row);
      apply_steps(want, c.out, c.post, c.extra, posts.contents);
      apply_steps(exact, c.out, c.post, c.extra, posts.contents);
      std::vector<void*> operands = {const_cast<float*>(a.data()), nullptr, const_cast<float*>(row.data())};
      const OutputBefore output = posts.append_to(operands, -1, want.size());
      for (const auto& candidate : matmul_bf16_candidates()) {
        if (!candidate.refuses(c).empty()) continue;
        ++made;
        Constants constants;
        const auto got = run_at_widths(*candidate.make(c, constants), operands, output.contents, output.aliased);
        expect_close(got, want, 3e-5, "bfloat16, " + std::to_string(m) + " rows");
        double off = 0;
        for (std::size_t i = 0; i < got.size(); ++i) off = std::max(off, std::abs(got[i] - exact[i]));
        EXPECT_GT(off, 1e-4) << "nothing was rounded";
      }
      MatMulConfig variable = c;
      variable.b_constant = {};
      for (const auto& candidate : matmul_bf16_candidates()) EXPECT_NE(candidate.refuses(variable), "");
    }
  }
  if (made == 0) GTEST_SKIP() << "the CPU has no dot products of bfloat16";
}

}  // namespace
}  // namespace norn::kernels
