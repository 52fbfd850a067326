// Products against sums element by element: every type, strides, batches, sizes around the tiles; transposed
// convolutions against their definition.
#include "kernels/cpu/contraction.h"

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T>
std::vector<T> small_numbers(std::int64_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = static_cast<T>(static_cast<int>(engine() % 17) - 8);
  return v;
}

// Numbers so small that every sum is exact.
template <class T>
void check_contraction(const ContractionConfig& c, std::int64_t a_size, std::int64_t b_size, std::int64_t c_size) {
  auto a = small_numbers<T>(a_size, 1), b = small_numbers<T>(b_size, 2), d = small_numbers<T>(element_count(c.d), 3);
  Constants constants;
  std::vector<T> want(static_cast<std::size_t>(c_size), T{77});
  std::int64_t batches = 1, sums = 1;
  for (const auto& dim : c.batch) batches *= dim.size;
  for (const auto& dim : c.sums) sums *= dim.size;
  for (std::int64_t i = 0; i < batches; ++i) {
    std::int64_t rest = i, at_a = 0, at_b = 0, at_c = 0;
    for (std::size_t k = c.batch.size(); k-- > 0; rest /= c.batch[k].size) {
      at_a += rest % c.batch[k].size * c.batch[k].a;
      at_b += rest % c.batch[k].size * c.batch[k].b;
      at_c += rest % c.batch[k].size * c.batch[k].c;
    }
    for (std::int64_t m = 0; m < c.m; ++m)
      for (std::int64_t n = 0; n < c.n; ++n) {
        T sum = 0;
        for (std::int64_t s = 0; s < sums; ++s) {
          std::int64_t more = s, in_a = at_a, in_b = at_b;
          for (std::size_t k = c.sums.size(); k-- > 0; more /= c.sums[k].size) {
            in_a += more % c.sums[k].size * c.sums[k].a;
            in_b += more % c.sums[k].size * c.sums[k].b;
          }
          for (std::int64_t k = 0; k < c.k; ++k)
            sum = static_cast<T>(sum + a[static_cast<std::size_t>(in_a + m * c.a_row + k * c.a_column)] *
                                           b[static_cast<std::size_t>(in_b + k * c.b_row + n * c.b_column)]);
        }
        if (c.has_d) {
          const std::size_t at = c.d.empty() ? 0 : static_cast<std::size_t>(c.d.size() == 1 ? n : m * c.n + n);
          sum = static_cast<T>(static_cast<T>(c.alpha) * sum + static_cast<T>(c.beta) * d[at]);
        }
        want[static_cast<std::size_t>(at_c + m * c.c_row + n)] = sum;
      }
  }
  int taken = 0;
  for (const auto& candidate : contraction_candidates()) {
    if (!candidate.refuses(c).empty()) continue;
    ++taken;
    const auto what = std::string(candidate.name) + " " + std::to_string(c.m) + " " + std::to_string(c.n);
    EXPECT_EQ(run_at_widths(*candidate.make(c, constants), {a.data(), b.data(), c.has_d ? d.data() : nullptr},
                            std::vector<T>(static_cast<std::size_t>(c_size), T{77})),
              want)
        << what;
    ContractionConfig known = c;
    known.b_constant = {b.data(), true, b.size() * sizeof(T)};
    const auto kernel = candidate.make(known, constants);
    EXPECT_EQ(run_at_widths(*kernel, {a.data(), kernel->reads(1) ? b.data() : nullptr, c.has_d ? d.data() : nullptr},
                            std::vector<T>(static_cast<std::size_t>(c_size), T{77})),
              want)
        << what;
  }
  EXPECT_GT(taken, 0);
}

template <class T>
void check_type(DataType type) {
  for (const std::int64_t m : {1, 3, 6, 7, 100})
    for (const std::int64_t n : {1, 5, 64, 131})
      for (const std::int64_t k : {1, 4, 33, 700}) {
        ContractionConfig c{.type = type, .m = m, .n = n, .k = k};
        c.a_row = k;
        c.a_column = 1;
        c.b_row = n;
        c.b_column = 1;
        c.c_row = n;
        check_contraction<T>(c, m * k, k * n, m * n);
        c.b_row = 1;
        c.b_column = k;
        check_contraction<T>(c, m * k, k * n, m * n);
        // Both transposed, in batches of which b has one alone in the first, and a in the second; c with gaps.
        c.a_row = 1;
        c.a_column = m;
        c.b_row = 1;
        c.b_column = k;
        c.c_row = n + 3;
        c.batch = {{2, m * k, 0, 3 * m * (n + 3)}, {3, 0, k * n, m * (n + 3)}};
        check_contraction<T>(c, 2 * m * k, 3 * k * n, 6 * m * (n + 3));
      }
}
TEST(Contraction, EveryType) {
  check_type<float>(DataType::Float);
  check_type<double>(DataType::Double);
  check_type<std::int32_t>(DataType::Int32);
  check_type<std::uint64_t>(DataType::Uint64);
}

// Rows times one vector, as A or as the columns of B, short ones and long ones; rows and results lie apart or not.
template <class T>
void check_vectors(DataType type) {
  for (const std::int64_t rows : {2, 63, 65, 700})
    for (const std::int64_t k : {2, 3, 5, 6, 7, 8, 12, 13, 15, 16, 17, 31, 32, 33, 64, 131})
      for (const std::int64_t gap : {0, 3}) {
        ContractionConfig c{.type = type, .m = rows, .n = 1, .k = k};
        c.a_row = k + gap;
        c.a_column = c.b_row = 1;
        c.b_column = k;
        c.c_row = 1 + gap;
        check_contraction<T>(c, rows * (k + gap), k, rows * (1 + gap));
        c = {.type = type, .m = 1, .n = rows, .k = k};
        c.batch = {{2, k, rows * (k + gap), rows + gap}};
        c.a_row = k;
        c.a_column = c.b_row = 1;
        c.b_column = k + gap;
        c.c_row = rows;
        check_contraction<T>(c, 2 * k, 2 * rows * (k + gap), 2 * (rows + gap));
      }
}
TEST(Contraction, RowsTimesAVector) {
  check_vectors<float>(DataType::Float);
  check_vectors<double>(DataType::Double);
  check_vectors<std::int32_t>(DataType::Int32);
  check_vectors<std::uint64_t>(DataType::Uint64);
}

// A row or two, and so many that B is read in tiles; columns fill the first cache more than once.
template <class T>
void check_few_rows(DataType type) {
  for (const std::int64_t m : {1, 2, 3})
    for (const std::int64_t n : {33, 1100, 2051})
      for (const std::int64_t k : {1, 4, 7, 64}) {
        const ContractionConfig c{
            .type = type, .m = m, .n = n, .k = k, .a_row = 1, .a_column = m, .b_row = n, .b_column = 1, .c_row = n + 3};
        check_contraction<T>(c, m * k, n * k, m * (n + 3));
      }
}
TEST(Contraction, FewRowsTimesManyColumns) {
  check_few_rows<float>(DataType::Float);
  check_few_rows<double>(DataType::Double);
  check_few_rows<std::int32_t>(DataType::Int32);
  check_few_rows<std::uint64_t>(DataType::Uint64);
}

// Many rows times at most 4 x 4, which the first of the batches have in common.
TEST(Contraction, TinyMatrices) {
  for (const std::int64_t m : {64, 1027})
    for (const std::int64_t n : {1, 2, 3, 4})
      for (const std::int64_t k : {2, 3, 4}) {
        ContractionConfig c{.m = m, .n = n, .k = k, .a_row = k, .a_column = 1, .b_row = n, .b_column = 1, .c_row = n};
        EXPECT_EQ(contraction_candidates()[0].refuses(c), "");
        check_contraction<double>(c, m * k, k * n, m * n);
        c.b_row = 1;
        c.b_column = k;
        c.batch = {{2, m * k, 0, 3 * m * n}, {3, 0, k * n, m * n}};
        check_contraction<double>(c, 2 * m * k, 3 * k * n, 6 * m * n);
        c.type = DataType::Float;
        check_contraction<float>(c, 2 * m * k, 3 * k * n, 6 * m * n);
        c.type = DataType::Int32;
        EXPECT_NE(contraction_candidates()[0].refuses(c), "");
      }
}

// a[b, s, m, t, k] and w[t, s, k, n], of which s, t and k are summed; one of the matrices B lies by columns.
TEST(Contraction, OverSeveralAxes) {
  for (const std::int64_t m : {1, 4, 100})
    for (const std::int64_t n : {1, 5, 70})
      for (const std::int64_t k : {1, 25}) {
        ContractionConfig c{.type = DataType::Double, .m = m, .n = n, .k = k};
        c.sums = {{3, m * 2 * k, k * n, 0}, {2, k, 3 * k * n, 0}};
        c.a_row = 2 * k;
        c.a_column = 1;
        c.b_row = n;
        c.b_column = 1;
        c.c_row = n;
        c.batch = {{2, 3 * m * 2 * k, 0, m * n}};
        check_contraction<double>(c, 2 * 3 * m * 2 * k, 2 * 3 * k * n, 2 * m * n);
        c.b_row = 1;
        c.b_column = k;
        check_contraction<double>(c, 2 * 3 * m * 2 * k, 2 * 3 * k * n, 2 * m * n);
        // The same matrix for each of one of the axes.
        c.sums[1].b = 0;
        check_contraction<double>(c, 2 * 3 * m * 2 * k, 2 * 3 * k * n, 2 * m * n);
      }
}

TEST(Contraction, WithFactorsAndASummand) {
  for (const Shape& d : {Shape{}, Shape{70}, Shape{9, 70}}) {
    const ContractionConfig c{.type = DataType::Double,
                              .batch = {},
                              .m = 9,
                              .n = 70,
                              .k = 12,
                              .a_row = 12,
                              .a_column = 1,
                              .b_row = 70,
                              .b_column = 1,
                              .c_row = 70,
                              .alpha = 0.5,
                              .beta = 2,
                              .has_d = true,
                              .d = d};
    check_contraction<double>(c, 9 * 12, 12 * 70, 9 * 70);
  }
}

TEST(Contraction, RefusesWhatItCannotCount) {
  const auto all_refuse = [](const ContractionConfig& c) {
    for (const auto& candidate : contraction_candidates()) EXPECT_NE(candidate.refuses(c), "");
  };
  ContractionConfig c{.type = DataType::Double, .m = 400, .n = 4, .k = 4, .a_row = 4, .a_column = 1, .c_row = 4};
  c.b_row = std::int64_t{1} << 60;
  all_refuse(c);
  c.b_row = 4;
  c.sums = {{std::int64_t{1} << 60, 1, 1, 0}};
  all_refuse(c);
  all_refuse({.type = DataType::Int8, .m = 4, .n = 4, .k = 4});
  all_refuse({.type = DataType::Double, .m = 4, .n = 0, .k = 4});
}

// How many ways with channels first took it.
template <class T>
int check_deconv(DeconvConfig c) {
  auto x = small_numbers<T>(element_count(c.x), 4), w = small_numbers<T>(element_count(c.w), 5);
  const std::int64_t filters = c.out[1];
  auto bias = small_numbers<T>(filters, 6);
  EXPECT_NE(deconv_candidates()[0].refuses(c), "");
  EXPECT_EQ(deconv_candidates().back().refuses(c), "");
  std::vector<T> want(static_cast<std::size_t>(element_count(c.out)));
  const std::size_t rank = c.strides.size();
  const Shape in(c.x.begin() + 2, c.x.end()), out(c.out.begin() + 2, c.out.end()), kernel(c.w.begin() + 2, c.w.end());
  const std::int64_t out_plane = element_count(out), in_group = c.x[1] / c.group, out_group = c.w[1];
  if (c.has_bias)
    for (std::size_t i = 0; i < want.size(); ++i)
      want[i] = bias[i / static_cast<std::size_t>(out_plane) % static_cast<std::size_t>(filters)];
  for (std::int64_t b = 0; b < c.x[0]; ++b)
    for (std::int64_t ch = 0; ch < c.x[1]; ++ch)
      for (std::int64_t m = 0; m < out_group; ++m)
        for (std::int64_t i = 0; i < element_count(in); ++i)
          for (std::int64_t t = 0; t < element_count(kernel); ++t) {
            std::int64_t i_rest = i, t_rest = t, at = 0, step = 1;
            bool inside = true;
            for (std::size_t d = rank; d-- > 0; i_rest /= in[d], t_rest /= kernel[d]) {
              const std::int64_t o =
                  i_rest % in[d] * c.strides[d] + t_rest % kernel[d] * c.dilations[d] - c.pads_begin[d];
              inside = inside && o >= 0 && o < out[d];
              at += o * step;
              step *= out[d];
            }
            if (!inside) continue;
            const std::int64_t channel = (b * filters) + ch / in_group * out_group + m;
            want[static_cast<std::size_t>(channel * out_plane + at)] +=
                x[static_cast<std::size_t>((b * c.x[1] + ch) * element_count(in) + i)] *
                w[static_cast<std::size_t>((ch * out_group + m) * element_count(kernel) + t)];
          }
  Constants constants;
  int ran = 0;
  for (const bool constant : {true, false}) {
    c.weights = constant ? Contents{w.data(), true, w.size() * sizeof(T)} : Contents{};
    for (const auto& candidate : deconv_candidates()) {
      if (!candidate.refuses(c).empty()) continue;
      const auto got =
          run_at_widths(*candidate.make(c, constants), {x.data(), w.data(), c.has_bias ? bias.data() : nullptr},
                        std::vector<T>(want.size(), T{77}));
      EXPECT_EQ(got, want) << candidate.name << to_string(c.x) << to_string(c.w) << constant;
      ++ran;
    }
  }
  if constexpr (std::is_same_v<T, float>) {
    c.layout = Layout::ChannelsLast;
    c.weights = {w.data(), true, w.size() * sizeof(float)};
    if (c.w[1] < 8) {
      EXPECT_NE(deconv_candidates()[0].refuses(c), "");
      return ran;
    }
    EXPECT_EQ(deconv_candidates()[0].refuses(c), "");
    auto moved = relaid(x, c.x, Layout::Dense, Layout::ChannelsLast);
    const auto last = run_at_widths(*deconv_candidates()[0].make(c, constants),
                                    {moved.data(), nullptr, c.has_bias ? bias.data() : nullptr},
                                    std::vector<T>(static_cast<std::size_t>(element_count(c.out)), T{77}));
    EXPECT_EQ(relaid(last, c.out, Layout::ChannelsLast, Layout::Dense), want);
  }
  return ran;
}

// Those that take less time as convolutions.
TEST(Deconv, ManyFiltersOfFewChannels) {
  int ran = 0, cases = 0;
  const auto check = [&](Shape x, Shape w, Shape out, std::int64_t group, bool has_bias, Shape strides, Shape dilations,
                         Shape pads) {
    ++cases;
    ran += check_deconv<float>({DataType::Float, std::move(x), std::move(w), std::move(out), group, has_bias,
                                std::move(strides), std::move(dilations), std::move(pads)});
  };
  check({2, 3, 9, 20}, {3, 40, 5, 5}, {2, 40, 9, 20}, 1, true, {1, 1}, {1, 1}, {2, 2});
  check({1, 4, 7, 11}, {4, 24, 7, 7}, {1, 48, 19, 27}, 2, true, {2, 2}, {1, 1}, {0, 0});
  check({1, 2, 8, 17}, {2, 56, 5, 4}, {1, 56, 27, 52}, 1, false, {3, 3}, {1, 2}, {1, -1});
  check({2, 2, 16}, {2, 30, 9}, {2, 30, 71}, 1, true, {4}, {3}, {9});
  check({1, 2, 4, 5, 9}, {2, 33, 3, 3, 3}, {1, 33, 9, 6, 17}, 1, false, {2, 1, 2}, {1, 1, 1}, {0, 1, 1});
  // Some elements that nothing falls on; windows that lead far before and behind x.
  check({1, 3, 9, 15}, {3, 48, 4, 4}, {1, 48, 33, 59}, 1, true, {2, 4}, {4, 4}, {2, 9});
  check({1, 3, 12, 30}, {3, 48, 3, 3}, {1, 48, 9, 27}, 1, true, {1, 1}, {1, 1}, {4, 5});
  EXPECT_GT(ran, 3 * cases);
}

TEST(Deconv, WeightsThatAreNotFinite) {
  const DeconvConfig c{DataType::Float, {1, 3, 9, 15}, {3, 48, 5, 5}, {1, 48, 9, 15}, 1, false, {1, 1}, {1, 1}, {2, 2}};
  auto x = random_floats(element_count(c.x), 1), w = random_floats(element_count(c.w), 2);
  w[0] = std::numeric_limits<float>::infinity();
  ASSERT_EQ(deconv_candidates()[1].refuses(c), "");
  std::vector<std::vector<float>> got;
  for (const std::size_t i : {1, 2}) {
    Constants constants;
    got.push_back(run_at_widths(*deconv_candidates()[i].make(c, constants), {x.data(), w.data(), nullptr},
                                std::vector<float>(static_cast<std::size_t>(element_count(c.out)))));
  }
  EXPECT_EQ(got[0], got[1]);
  EXPECT_TRUE(std::ranges::none_of(got[0], [](float v) { return std::isnan(v); }));
  DeconvConfig constant = c;
  constant.weights = {w.data(), true, w.size() * sizeof(float)};
  EXPECT_NE(deconv_candidates()[1].refuses(constant), "");
}

TEST(Deconv, MatchesItsDefinition) {
  check_deconv<float>({DataType::Float, {2, 6, 5, 7}, {6, 14, 3, 3}, {2, 14, 11, 15}, 1, true, {2, 2}, {1, 1}, {0, 0}});
  check_deconv<float>({DataType::Float, {1, 6, 5, 7}, {6, 2, 3, 2}, {1, 6, 7, 24}, 3, false, {1, 3}, {2, 1}, {1, -2}});
  check_deconv<double>({DataType::Double, {2, 3, 40}, {3, 5, 5}, {2, 5, 79}, 1, true, {2}, {1}, {2}});
  check_deconv<float>({DataType::Float,
                       {1, 4, 3, 4, 5},
                       {4, 9, 2, 2, 2},
                       {1, 18, 6, 8, 10},
                       2,
                       false,
                       {2, 2, 2},
                       {1, 1, 1},
                       {0, 0, 0}});
  check_deconv<float>({DataType::Float, {3, 5, 1, 1}, {5, 130, 4, 4}, {3, 130, 4, 4}, 1, true, {1, 1}, {1, 1}, {0, 0}});
  check_deconv<float>({DataType::Float, {2, 6, 9, 4}, {6, 9, 4, 4}, {2, 18, 18, 8}, 2, true, {2, 2}, {1, 1}, {1, 1}});
  // Nothing falls on another; in the first everything is fallen on.
  check_deconv<float>({DataType::Float, {2, 6, 4, 9}, {6, 33, 2, 2}, {2, 33, 7, 17}, 1, true, {2, 2}, {1, 1}, {1, 1}});
  check_deconv<float>(
      {DataType::Float, {1, 4, 5, 6}, {4, 10, 2, 2}, {1, 10, 11, 13}, 1, true, {2, 2}, {1, 1}, {-1, -1}});
  check_deconv<float>({DataType::Float, {1, 4, 40}, {4, 10, 2}, {1, 10, 120}, 1, false, {3}, {1}, {0}});
  // Windows that lie side by side.
  check_deconv<float>({DataType::Float, {2, 6, 40, 31}, {6, 5, 2, 2}, {2, 5, 80, 62}, 1, true, {2, 2}, {1, 1}, {0, 0}});
  check_deconv<double>({DataType::Double, {2, 6, 4, 9}, {6, 3, 2, 3}, {2, 3, 8, 27}, 1, false, {2, 3}, {1, 1}, {0, 0}});
  // More elements than a tile has, in rows that it cuts.
  check_deconv<float>(
      {DataType::Float, {1, 2, 30, 77}, {2, 11, 3, 3}, {1, 11, 30, 77}, 1, true, {1, 1}, {1, 1}, {1, 1}});
}

}  // namespace
}  // namespace norn::kernels
