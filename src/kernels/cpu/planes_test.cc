// Pooling of planes and the places of maxima, channels by given statistics, triangles, reversed sequences, Col2Im,
// Hardmax and powers against their definitions.
#include "base/number.h"
#include "kernels/cpu/channel_norm.h"
#include "kernels/cpu/contraction.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/fold.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/plane_norm.h"
#include "kernels/cpu/plane_places.h"
#include "kernels/cpu/plane_pool.h"
#include "kernels/cpu/triangle.h"
#include "kernels/cpu/typed.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T>
std::vector<T> varied(std::int64_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = static_cast<T>(static_cast<int>(engine() % 201) - (std::is_unsigned_v<T> ? 0 : 100));
  return v;
}

// Where the `w`-th position of the window of the `o`-th output of a plane lies.
struct Tap {
  std::int64_t at = 0;                      // in the plane
  bool is_inside = true, is_padded = true;  // in the plane; in it or its padding
};
Tap tap_of(const PlanePoolConfig& c, std::int64_t o, std::int64_t w) {
  Tap tap;
  std::int64_t step = 1;
  for (std::size_t d = c.window.size(); d-- > 0; o /= c.out[d + 2], w /= c.window[d]) {
    const std::int64_t in = c.x[d + 2];
    const std::int64_t i = o % c.out[d + 2] * c.strides[d] - c.pads_begin[d] + w % c.window[d] * c.dilations[d];
    tap.is_inside = tap.is_inside && i >= 0 && i < in;
    tap.is_padded = tap.is_padded && i >= -c.pads_begin[d] && i < in + c.pads_end[d];
    tap.at += i * step;
    step *= in;
  }
  return tap;
}

// By every kernel that takes it.
template <class T>
void check_pool(const PlanePoolConfig& c) {
  auto x = varied<T>(element_count(c.x), 1);
  const Shape in(c.x.begin() + 2, c.x.end()), out(c.out.begin() + 2, c.out.end());
  const Shape window(c.window.begin(), c.window.end());
  int takers = 0;
  for (const auto& candidate : plane_pool_candidates()) {
    if (!candidate.refuses(c).empty()) continue;
    ++takers;
    Constants constants;
    const auto got = run_at_widths(*candidate.make(c, constants), {x.data()},
                                   std::vector<T>(static_cast<std::size_t>(element_count(c.out)), T{7}));
    for (std::int64_t p = 0; p < c.x[0] * c.x[1]; ++p)
      for (std::int64_t o = 0; o < element_count(out); ++o) {
        double sum = 0, best = -1e300, inside = 0, padded = 0;
        for (std::int64_t w = 0; w < element_count(window); ++w) {
          const Tap tap = tap_of(c, o, w);
          padded += tap.is_padded ? 1 : 0;
          if (!tap.is_inside) continue;
          const auto v = static_cast<double>(x[static_cast<std::size_t>(p * element_count(in) + tap.at)]);
          inside += 1;
          sum += v;
          best = std::max(best, v);
        }
        const double want = c.kind == PoolKind::Max ? best : sum / (c.count_include_pad ? padded : inside);
        ASSERT_NEAR(static_cast<double>(got[static_cast<std::size_t>(p * element_count(out) + o)]), want,
                    1e-5 * (1 + std::abs(want)))
            << candidate.name << " " << p << " " << o;
      }
  }
  ASSERT_GT(takers, 0);
}
bool are_stacked(const PlanePoolConfig& c) { return plane_pool_candidates()[0].refuses(c).empty(); }

// Planes that are folded together, also such that the last ones do not fill a vector.
TEST(PlanePool, SmallPlanesTogether) {
  for (const std::int64_t planes : {8, 16, 21, 64, 77, 131})
    for (const PoolKind kind : {PoolKind::Max, PoolKind::Average})
      for (const bool counts : {false, true}) {
        const PlanePoolConfig halved{
            DataType::Float, kind,  {1, planes, 7, 9}, {1, planes, 3, 4}, {2, 2}, {2, 2}, {1, 1}, {0, 0},
            {0, 0},          counts};
        ASSERT_TRUE(are_stacked(halved));
        check_pool<float>(halved);
        // The last windows reach beyond the padding.
        check_pool<float>({DataType::Float,
                           kind,
                           {1, planes, 6, 6},
                           {1, planes, 3, 3},
                           {3, 3},
                           {2, 2},
                           {1, 1},
                           {0, 0},
                           {0, 0},
                           counts});
        check_pool<float>({DataType::Float,
                           kind,
                           {planes, 1, 5, 13},
                           {planes, 1, 5, 13},
                           {5, 5},
                           {1, 1},
                           {1, 1},
                           {2, 2},
                           {2, 2},
                           counts});
        check_pool<double>({DataType::Double,
                            kind,
                            {1, planes, 11, 8},
                            {1, planes, 4, 4},
                            {3, 3},
                            {2, 2},
                            {2, 1},
                            {0, 0},
                            {0, 1},
                            counts});
        check_pool<float>({DataType::Float, kind, {1, planes, 50}, {1, planes, 16}, {4}, {3}, {1}, {1}, {1}, counts});
        check_pool<double>({DataType::Double,
                            kind,
                            {1, planes, 4, 5, 6},
                            {1, planes, 2, 3, 3},
                            {2, 2, 2},
                            {2, 2, 2},
                            {1, 1, 1},
                            {0, 1, 0},
                            {0, 0, 0},
                            counts});
      }
  for (const std::int64_t planes : {32, 63, 64, 129, 300}) {
    check_pool<std::int8_t>({DataType::Int8,
                             PoolKind::Max,
                             {1, planes, 6, 20},
                             {1, planes, 6, 20},
                             {3, 3},
                             {1, 1},
                             {1, 1},
                             {1, 1},
                             {1, 1}});
    check_pool<std::uint8_t>(
        {DataType::Uint8, PoolKind::Max, {planes, 1, 7, 5}, {planes, 1, 3, 1}, {3, 5}, {2, 1}, {1, 1}, {0, 0}, {0, 0}});
  }
  EXPECT_FALSE(are_stacked(
      {DataType::Float, PoolKind::Max, {1, 7, 8, 8}, {1, 7, 4, 4}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}));
  EXPECT_FALSE(are_stacked(
      {DataType::Float, PoolKind::Max, {1, 64, 500, 20}, {1, 64, 250, 10}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}));
}

TEST(PlanePool, EveryWindow) {
  for (const PoolKind kind : {PoolKind::Max, PoolKind::Average})
    for (const bool counts : {false, true}) {
      check_pool<float>(
          {DataType::Float, kind, {2, 3, 9, 70}, {2, 3, 5, 35}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, counts});
      check_pool<double>(
          {DataType::Double, kind, {1, 2, 9, 20}, {1, 2, 5, 16}, {3, 5}, {1, 1}, {2, 1}, {0, 0}, {0, 0}, counts});
      check_pool<float>({DataType::Float, kind, {1, 2, 50}, {1, 2, 17}, {4}, {3}, {1}, {1}, {1}, counts});
      check_pool<float>({DataType::Float,
                         kind,
                         {1, 1, 4, 5, 6},
                         {1, 1, 2, 3, 3},
                         {2, 2, 2},
                         {2, 2, 2},
                         {1, 1, 1},
                         {0, 1, 0},
                         {0, 0, 0},
                         counts});
      // The last window reaches beyond the padding.
      check_pool<float>({DataType::Float, kind, {1, 1, 6}, {1, 1, 3}, {3}, {2}, {1}, {0}, {0}, counts});
    }
  // Wide windows, many bands, a depth in bands.
  check_pool<float>(
      {DataType::Float, PoolKind::Max, {1, 3, 20, 20}, {1, 3, 20, 20}, {13, 13}, {1, 1}, {1, 1}, {6, 6}, {6, 6}});
  check_pool<double>(
      {DataType::Double, PoolKind::Max, {1, 1, 31, 9}, {1, 1, 7, 9}, {7, 1}, {4, 1}, {1, 1}, {0, 0}, {0, 0}});
  check_pool<float>(
      {DataType::Float, PoolKind::Max, {1, 1, 40, 9}, {1, 1, 30, 9}, {6, 1}, {1, 1}, {2, 1}, {0, 0}, {0, 0}});
  for (const PoolKind kind : {PoolKind::Max, PoolKind::Average}) {
    check_pool<float>(
        {DataType::Float, kind, {1, 2, 300, 301}, {1, 2, 300, 301}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    check_pool<float>({DataType::Float,
                       kind,
                       {1, 1, 30, 40, 50},
                       {1, 1, 30, 20, 25},
                       {3, 3, 3},
                       {1, 2, 2},
                       {1, 1, 1},
                       {1, 1, 1},
                       {1, 1, 1}});
  }
  // Every other element, up to the last of the row.
  for (const std::int64_t window : {2, 3})
    for (const std::int64_t out : {1, 4, 8, 16, 17, 67}) {
      const std::int64_t in = 2 * (out - 1) + window;
      const PlanePoolConfig c{DataType::Float, PoolKind::Max, {1, 3, in}, {1, 3, out}, {window}, {2}, {1}, {0}, {0}};
      check_pool<float>(c);
      PlanePoolConfig other = c;
      other.type = DataType::Int8;
      check_pool<std::int8_t>(other);
      other.type = DataType::Double;
      other.kind = PoolKind::Average;
      check_pool<double>(other);
    }
  check_pool<std::int8_t>(
      {DataType::Int8, PoolKind::Max, {1, 4, 20, 33}, {1, 4, 18, 31}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}});
  check_pool<std::uint8_t>(
      {DataType::Uint8, PoolKind::Max, {1, 4, 20, 33}, {1, 4, 10, 17}, {2, 2}, {2, 2}, {1, 1}, {0, 1}, {0, 0}});
}

// Few values, so that many are equal, and with NaN among those of floats.
template <class T>
void check_places(PlanePlacesConfig c) {
  const PlanePoolConfig& p = c.pool;
  const std::int64_t n = element_count(p.x);
  std::vector<T> x(static_cast<std::size_t>(n));
  std::mt19937 engine(5);
  for (T& v : x) v = static_cast<T>(engine() % 7);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 3; i < x.size(); i += 41)
      x[i] = i % 2 == 0 ? std::numeric_limits<T>::quiet_NaN() : T{-INFINITY};
  ASSERT_EQ(plane_places_candidates()[0].refuses(c), "");
  Constants constants;
  const auto kernel = plane_places_candidates()[0].make(c, constants);
  std::vector<T> most(static_cast<std::size_t>(element_count(p.out)));
  const auto places = run_at_widths(*kernel, {x.data(), most.data()}, std::vector<std::int64_t>(most.size(), -7));
  const Shape in(p.x.begin() + 2, p.x.end()), out(p.out.begin() + 2, p.out.end());
  for (std::int64_t i = 0; i < element_count(p.out); ++i) {
    const std::int64_t plane = i / element_count(out);
    std::int64_t where = -1;
    T best =
        std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    for (std::int64_t w = 0; w < element_count(Shape(p.window.begin(), p.window.end())); ++w) {
      const Tap tap = tap_of(p, i % element_count(out), w);
      if (!tap.is_inside) continue;
      const T v = x[static_cast<std::size_t>(plane * element_count(in) + tap.at)];
      if (where >= 0 && (best >= v || best != best)) continue;
      best = v;
      where = tap.at;
    }
    if (where >= 0 && c.column_major) {
      std::int64_t turned = 0, rest = where, size = element_count(in);
      for (std::size_t d = in.size(); d-- > 0; rest /= in[d]) turned += rest % in[d] * (size /= in[d]);
      where = turned;
    }
    const auto at = static_cast<std::size_t>(i);
    ASSERT_EQ(places[at], where < 0 ? -1 : plane * element_count(in) + where) << i;
    ASSERT_TRUE(most[at] == best || (most[at] != most[at] && best != best)) << i;
  }
}
TEST(PlanePlaces, OfMaxima) {
  for (const bool turned : {false, true}) {
    const auto check_all = [&]<class T>(DataType type, T) {
      const auto each = [&](Shape x, Shape out, std::vector<std::int64_t> window, std::vector<std::int64_t> strides,
                            std::vector<std::int64_t> dilations, std::vector<std::int64_t> pads) {
        check_places<T>({{type, PoolKind::Max, std::move(x), std::move(out), std::move(window), std::move(strides),
                          std::move(dilations), pads, pads, false},
                         turned});
      };
      each({2, 3, 9, 70}, {2, 3, 5, 35}, {3, 3}, {2, 2}, {1, 1}, {1, 1});
      each({1, 2, 9, 20}, {1, 2, 5, 16}, {3, 5}, {1, 1}, {2, 1}, {0, 0});
      each({1, 2, 50}, {1, 2, 17}, {4}, {3}, {1}, {1});
      each({1, 2, 4, 5, 6}, {1, 2, 2, 3, 3}, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}, {0, 1, 0});
      each({1, 1, 3, 4}, {1, 1, 7, 8}, {2, 2}, {1, 1}, {1, 1}, {3, 3});  // some windows are padding alone
      each({3, 1, 1, 1}, {3, 1, 2, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 0});
    };
    check_all(DataType::Float, float{});
    check_all(DataType::Double, double{});
    check_all(DataType::Int8, std::int8_t{});
    check_all(DataType::Uint8, std::uint8_t{});
  }
  // Halves are those of the same numbers.
  std::vector<std::uint16_t> x(2 * 9 * 21);
  std::vector<float> wide(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    wide[i] = i == 40 ? std::nanf("") : static_cast<float>(i * 7 % 64) - 20;
    x[i] = base::float_to_half(wide[i]);
  }
  PlanePlacesConfig c{
      {DataType::Float16, PoolKind::Max, {1, 2, 9, 21}, {1, 2, 9, 21}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}};
  Constants constants;
  const auto of_half = plane_places_candidates()[0].make(c, constants);
  c.pool.type = DataType::Float;
  const auto of_float = plane_places_candidates()[0].make(c, constants);
  std::vector<std::uint16_t> half_most(x.size());
  std::vector<float> most(x.size());
  const std::vector<std::int64_t> before(x.size());
  EXPECT_EQ(run_at_widths(*of_half, {x.data(), half_most.data()}, before),
            run_at_widths(*of_float, {wide.data(), most.data()}, before));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(half_most[i], base::float_to_half(most[i]));
}

TEST(PlanePool, HalvesAndNaN) {
  constexpr int kPlanes = 37;
  std::vector<std::uint16_t> x;
  std::vector<float> wide;
  for (int i = 0; i < kPlanes * 9 * 21; ++i) {
    wide.push_back(static_cast<float>(i * 7 % 64) - 20);
    x.push_back(base::float_to_half(wide.back()));
  }
  const float nan = std::nanf("");
  wide[40] = nan;
  x[40] = base::float_to_half(nan);
  Constants constants;
  for (const PoolKind kind : {PoolKind::Max, PoolKind::Average}) {
    PlanePoolConfig c{DataType::Float16,
                      kind,
                      {1, kPlanes, 9, 21},
                      {1, kPlanes, 9, 21},
                      {3, 3},
                      {1, 1},
                      {1, 1},
                      {1, 1},
                      {1, 1},
                      true};
    for (const auto& candidate : plane_pool_candidates()) {
      ASSERT_EQ(candidate.refuses(c), "");
      const auto got = run_at_widths(*candidate.make(c, constants), {x.data()}, std::vector<std::uint16_t>(x.size()));
      for (int p = 0; p < kPlanes; ++p)
        for (int y = 0; y < 9; ++y)
          for (int z = 0; z < 21; ++z) {
            double sum = 0, best = -1e300;
            for (int i = std::max(0, y - 1); i < std::min(9, y + 2); ++i)
              for (int j = std::max(0, z - 1); j < std::min(21, z + 2); ++j) {
                const double v = wide[static_cast<std::size_t>((p * 9 + i) * 21 + j)];
                sum += v;
                best = std::isnan(v) || std::isnan(best) ? nan : std::max(best, v);
              }
            const float want = static_cast<float>(kind == PoolKind::Max ? best : sum / 9);
            const float is = base::half_to_float(got[static_cast<std::size_t>((p * 9 + y) * 21 + z)]);
            if (std::isnan(want))
              ASSERT_TRUE(std::isnan(is));
            else
              ASSERT_NEAR(is, want, 1e-2);
          }
    }
  }
}

TEST(PlanePool, NaNInAnyPlaceOfARow) {
  Constants constants;
  for (const std::int64_t stride : {1, 2})
    for (const PoolKind kind : {PoolKind::Max, PoolKind::Average})
      for (std::int64_t place = 0; place < 39; ++place) {
        const PlanePoolConfig c{
            DataType::Float, kind, {1, 1, 39}, {1, 1, 38 / stride + 1}, {3}, {stride}, {1}, {1}, {1}};
        ASSERT_EQ(plane_pool_candidates()[1].refuses(c), "");
        std::vector<float> x(39, 2.0f);
        x[static_cast<std::size_t>(place)] = std::nanf("");
        const auto got = run_at_widths(*plane_pool_candidates()[1].make(c, constants), {x.data()},
                                       std::vector<float>(static_cast<std::size_t>(c.out[2])));
        for (std::int64_t o = 0; o < c.out[2]; ++o) {
          const float v = got[static_cast<std::size_t>(o)];
          if (std::abs(o * stride - place) <= 1)
            EXPECT_TRUE(std::isnan(v)) << o << " of " << place;
          else
            EXPECT_EQ(v, 2) << o << " of " << place;
        }
      }
}

TEST(PlanePool, RefusesWindowsOfPaddingAlone) {
  EXPECT_NE(plane_pool_candidates()[1].refuses(
                {DataType::Float, PoolKind::Max, {1, 1, 4}, {1, 1, 8}, {2}, {1}, {1}, {3}, {2}}),
            "");
}

TEST(ChannelNorm, MatchesItsFormula) {
  auto x = random_floats(2 * 5 * 37, 1, -3, 3), scale = random_floats(5, 2), bias = random_floats(5, 3),
       mean = random_floats(5, 4), variance = random_floats(5, 5, 0.1f, 2);
  Constants constants;
  const auto got =
      run_at_widths(*channel_norm_candidates()[0].make({DataType::Float, 2, 5, 37, 1e-5}, constants),
                    {x.data(), scale.data(), bias.data(), mean.data(), variance.data()}, std::vector<float>(x.size()));
  std::vector<double> want;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = i / 37 % 5;
    want.push_back((static_cast<double>(x[i]) - mean[c]) / std::sqrt(variance[c] + 1e-5) * scale[c] + bias[c]);
  }
  expect_close(got, want, 1e-6, "channels");
}

// Few elements of a channel, which images share the numbers of; more channels than are done together.
template <class T>
void check_channels(DataType type, double tolerance) {
  const auto drawn = [](std::int64_t n, unsigned seed, float low, float high) {
    const auto floats = random_floats(n, seed, low, high);
    return std::vector<T>(floats.begin(), floats.end());
  };
  for (const std::int64_t inner : {1, 2, 3, 4, 7, 15, 16, 17, 31, 32, 33, 76})
    for (auto [batch, channels] : {std::pair{1, 1}, {9, 37}, {3, 1100}, {2, 5}}) {
      auto x = drawn(batch * channels * inner, 1, -3, 3), scale = drawn(channels, 2, -1, 1),
           bias = drawn(channels, 3, -1, 1), mean = drawn(channels, 4, -1, 1), variance = drawn(channels, 5, 0.1f, 2);
      const std::string what = std::to_string(inner) + " " + std::to_string(channels);
      Constants constants;
      const auto kernel = channel_norm_candidates()[0].make({type, batch, channels, inner, 1e-5}, constants);
      const auto got = run_at_widths(*kernel, {x.data(), scale.data(), bias.data(), mean.data(), variance.data()},
                                     std::vector<T>(x.size()));
      // Without a mean: a chain, whose steps are rounded each.
      ChainConfig chain{.out = {batch, channels, inner}, .type = type};
      chain.inputs = {{chain.out}, {{channels, 1}}, {{channels, 1}}};
      chain.steps = {{.op = ElementOp::Mul, .operand = 1}, {.op = ElementOp::Add, .operand = 2}};
      EXPECT_EQ(make_channel_scale(chain) == nullptr, inner == 1 || channels == 1) << what;
      const auto scaling = chain_candidates()[0].make(chain, constants);
      const auto scaled = run_at_widths(*scaling, {x.data(), scale.data(), bias.data()}, std::vector<T>(x.size()));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t c = i / static_cast<std::size_t>(inner) % static_cast<std::size_t>(channels);
        const double by = double(scale[c]) / std::sqrt(double(variance[c]) + 1e-5);
        ASSERT_NEAR(double(got[i]), (double(x[i]) - double(mean[c])) * by + double(bias[c]), tolerance) << what << i;
        const volatile T product = x[i] * scale[c];
        ASSERT_EQ(scaled[i], product + bias[c]) << what << " " << i;
      }
      void* in_place[] = {x.data(), scale.data(), bias.data(), x.data()};
      scaling->run(in_place, aligned_buffer(scaling->scratch_bytes() + 1).get());
      EXPECT_EQ(x, scaled) << what;
    }
}
TEST(ChannelNorm, FewElementsOfAChannel) {
  check_channels<float>(DataType::Float, 1e-5);
  check_channels<double>(DataType::Double, 1e-14);
}

TEST(ChannelNorm, OtherChainsAreLeft) {
  const auto made = [](std::vector<ExtraOperand> inputs, std::vector<ElementStep> steps) {
    ChainConfig c{.out = {3, 40, 50}, .inputs = std::move(inputs), .steps = std::move(steps)};
    return make_channel_scale(c) != nullptr;
  };
  const ElementStep by{.op = ElementOp::Mul, .operand = 1}, more{.op = ElementOp::Add, .operand = 2};
  const ExtraOperand x{{3, 40, 50}}, channel{{40, 1}}, column{{50}}, one{{1}};
  EXPECT_TRUE(made({x, channel, channel}, {by, more}));
  EXPECT_FALSE(made({x, channel, column}, {by, more}));
  EXPECT_FALSE(made({x, column, column}, {by, more}));
  EXPECT_FALSE(made({x, one, one}, {by, more}));
  EXPECT_FALSE(made({column, channel, channel}, {by, more}));
  EXPECT_FALSE(made({x, channel, channel}, {more, by}));
  EXPECT_FALSE(made({x, channel}, {by}));
}

// Small planes are normalised many at a time: what one of them has must not reach another.
TEST(PlaneNorm, MatchesItsFormula) {
  for (const std::int64_t plane : {1, 2, 3, 4, 5, 15, 16, 31, 64, 65, 300})
    for (auto [batch, channels] : {std::pair{1, 1}, {1, 7}, {3, 5}, {2, 64}, {5, 41}}) {
      const PlaneNormConfig c{batch, channels, plane, 1e-3f};
      auto x = random_floats(batch * channels * plane, 1, 97, 103), scale = random_floats(channels, 2),
           bias = random_floats(channels, 3);
      x[0] = std::nanf("");
      std::vector<double> want(x.size());
      for (std::int64_t p = 0; p < batch * channels; ++p) {
        const auto channel = static_cast<std::size_t>(p % channels);
        const auto each = [&](auto f) {
          for (std::int64_t i = p * plane; i < (p + 1) * plane; ++i) f(static_cast<std::size_t>(i));
        };
        double mean = 0, square = 0;
        each([&](std::size_t i) { mean += double(x[i]) / double(plane); });
        each([&](std::size_t i) { square += std::pow(double(x[i]) - mean, 2) / double(plane); });
        const double by = double(scale[channel]) / std::sqrt(square + double(c.epsilon));
        each([&](std::size_t i) { want[i] = (double(x[i]) - mean) * by + double(bias[channel]); });
      }
      const std::string what = std::to_string(plane) + " " + std::to_string(batch * channels);
      ASSERT_EQ(plane_norm_candidates()[0].refuses(c), "");
      Constants constants;
      const auto kernel = plane_norm_candidates()[0].make(c, constants);
      const auto got = run_at_widths(*kernel, {x.data(), scale.data(), bias.data()}, std::vector<float>(x.size()));
      expect_close(got, want, 1e-3, what);
      void* in_place[] = {x.data(), scale.data(), bias.data(), x.data()};
      kernel->run(in_place, nullptr);
      for (std::size_t i = 1; i < x.size(); ++i) ASSERT_TRUE(x[i] == got[i] || std::isnan(got[i])) << what << " " << i;
    }
}

TEST(Triangle, EveryDiagonal) {
  for (const bool upper : {true, false})
    for (const std::int64_t k : {-100, -3, -1, 0, 1, 2, 100}) {
      auto x = varied<std::int16_t>(2 * 4 * 6, 9);
      Constants constants;
      const auto got = run_at_widths(*triangle_candidates()[0].make({2, 4, 6, upper, k, 2}, constants), {x.data()},
                                     std::vector<std::int16_t>(x.size(), 7));
      for (std::int64_t i = 0; i < 48; ++i) {
        const std::int64_t row = i / 6 % 4, column = i % 6;
        const bool stays = upper ? column >= row + k : column <= row + k;
        ASSERT_EQ(got[static_cast<std::size_t>(i)], stays ? x[static_cast<std::size_t>(i)] : 0);
      }
    }
}

TEST(Reverse, BothLayouts) {
  for (const std::int64_t inner : {1, 3}) {
    auto x = varied<float>(4 * 5 * inner, 2);
    std::vector<std::int64_t> lengths = {4, 1, 3, 0, 2}, of_rows = {5, 0, 2, 3};
    Constants constants;
    const auto time_first = run_at_widths(*reverse_candidates()[0].make({4, 5, inner, false, 4}, constants),
                                          {x.data(), lengths.data()}, std::vector<float>(x.size()));
    const auto batch_first = run_at_widths(*reverse_candidates()[0].make({4, 5, inner, true, 4}, constants),
                                           {x.data(), of_rows.data()}, std::vector<float>(x.size()));
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 5; ++j)
        for (std::int64_t e = 0; e < inner; ++e) {
          const std::int64_t n = lengths[static_cast<std::size_t>(j)], m = of_rows[static_cast<std::size_t>(i)];
          const std::size_t at = static_cast<std::size_t>((i * 5 + j) * inner + e);
          EXPECT_EQ(time_first[at], x[static_cast<std::size_t>(((i < n ? n - 1 - i : i) * 5 + j) * inner + e)]);
          EXPECT_EQ(batch_first[at], x[static_cast<std::size_t>((i * 5 + (j < m ? m - 1 - j : j)) * inner + e)]);
        }
    lengths[2] = 5;
    std::vector<float> out(x.size());
    void* operands[] = {x.data(), lengths.data(), out.data()};
    EXPECT_THROW(reverse_candidates()[0].make({4, 5, inner, false, 4}, constants)->run(operands, nullptr), Error);
  }
}

TEST(Col2Im, AddsBlocks) {
  const Col2ImConfig c{DataType::Float, 2, {4, 5}, {6, 5}, {3, 2}, {1, 1}, {1, 2}, {0, 1}};
  auto x = varied<float>(2 * 6 * 20, 3);
  ASSERT_EQ(col2im_candidates()[0].refuses(c), "");
  Constants constants;
  const auto got =
      run_at_widths(*col2im_candidates()[0].make(c, constants), {x.data()}, std::vector<float>(2 * 30, 7.0f));
  std::vector<float> want(2 * 30);
  for (std::int64_t p = 0; p < 2; ++p)
    for (std::int64_t t = 0; t < 6; ++t)
      for (std::int64_t l = 0; l < 20; ++l) {
        const std::int64_t y = l / 5 + t / 2, z = l % 5 + t % 2 * 2 - 1;
        if (y < 6 && z >= 0 && z < 5)
          want[static_cast<std::size_t>(p * 30 + y * 5 + z)] += x[static_cast<std::size_t>((p * 6 + t) * 20 + l)];
      }
  EXPECT_EQ(got, want);
}

TEST(Hardmax, MarksTheFirstOfTheGreatest) {
  for (const std::int64_t inner : {1, 600}) {
    auto x = varied<double>(3 * 9 * inner, 4);
    x[static_cast<std::size_t>(4 * inner)] = std::nan("");
    Constants constants;
    const auto got = run_at_widths(*hardmax_candidates()[0].make({DataType::Double, 3, 9, inner}, constants),
                                   {x.data()}, std::vector<double>(x.size(), 7.0));
    for (std::int64_t o = 0; o < 3; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto at = [&](std::int64_t k) { return static_cast<std::size_t>((o * 9 + k) * inner + i); };
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < 9; ++k)
          if (!std::isnan(x[at(best)]) && (x[at(k)] > x[at(best)] || std::isnan(x[at(k)]))) best = k;
        for (std::int64_t k = 0; k < 9; ++k) ASSERT_EQ(got[at(k)], k == best ? 1.0 : 0.0);
      }
  }
}

TEST(Powers, AreThoseOfTheCLibrary) {
  std::mt19937 engine(6);
  std::uniform_real_distribution<float> base(0.0f, 20.0f), exponent(-12.0f, 12.0f);
  std::vector<float> x, y;
  for (int i = 0; i < 4000; ++i) {
    x.push_back(base(engine));
    y.push_back(exponent(engine));
  }
  for (int i = 0; i < 2000; ++i) {
    const float e = exponent(engine);
    x.push_back(i % 5 == 0 ? base(engine) : -base(engine));
    y.push_back(i % 7 == 0 ? e : std::round(e));
  }
  for (const float a : {-1.0f, -1.000001f, -0.999999f})
    for (const float b : {8388607.0f, 8388608.0f, 8388607.5f, 16777215.0f, 16777216.0f, -16777215.0f, 0.5f, -7.0f}) {
      x.push_back(a);
      y.push_back(b);
    }
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (const float a : {0.0f, -0.0f, 1.0f, -2.0f, 1e-40f, 3e38f, inf, -inf, nan})
    for (const float b : {0.0f, -0.0f, 1.0f, -3.0f, 0.5f, 2.5f, 1e30f, inf, -inf, nan}) {
      x.push_back(a);
      y.push_back(b);
    }
  std::vector<float> got(x.size());
  powers_f32(x.data(), y.data(), got.data(), static_cast<std::int64_t>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float want = std::pow(x[i], y[i]);
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got[i])) << x[i] << " " << y[i];
    else
      ASSERT_FLOAT_EQ(got[i], want) << x[i] << " " << y[i];
    ASSERT_EQ(std::isinf(got[i]), std::isinf(want)) << x[i] << " " << y[i];  // which is next to the greatest number
  }
}

}  // namespace
}  // namespace norn::kernels
