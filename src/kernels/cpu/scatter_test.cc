// Elements picked and written by indices, and coordinates mapped axis for axis, against loops over all positions.
#include "kernels/cpu/scatter.h"

#include <cstring>
#include <limits>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/remap.h"
#include "kernels/cpu/resample.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T>
std::vector<T> counted(std::int64_t n, int from) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(from + static_cast<int>(i % 251));
  return v;
}
std::vector<std::int64_t> random_indices(std::int64_t n, std::int64_t size, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<std::int64_t> v(static_cast<std::size_t>(n));
  for (auto& i : v) i = static_cast<std::int64_t>(engine() % static_cast<unsigned>(2 * size)) - size;
  return v;
}
// Where position `at` of `dims` lies in `data` with coordinate `pick` along the axis.
std::size_t place(const Shape& dims, std::int64_t at, const Shape& data, std::int64_t axis, std::int64_t pick) {
  const auto strides = layout_strides(data, Layout::Dense);
  std::int64_t offset = 0;
  for (std::size_t d = dims.size(); d-- > 0; at /= dims[d]) {
    const bool along = static_cast<std::int64_t>(d) == axis;
    const std::int64_t size = data[d];
    offset += (along ? (pick < 0 ? pick + size : pick) : at % dims[d]) * strides[d];
  }
  return static_cast<std::size_t>(offset);
}

const std::vector<std::tuple<Shape, Shape>> kShapes = {
    {{4, 6, 5}, {4, 6, 5}}, {{4, 6, 5}, {3, 2, 4}},       {{7}, {20}},          {{1, 5}, {1, 5}},
    {{3, 1, 9}, {3, 1, 9}}, {{3, 4, 2, 6}, {3, 4, 1, 6}}, {{300, 5}, {300, 5}}, {{2, 3}, {0, 3}},
};

// Indices of every element of a box within the data, as for an assignment to slices, some from the end.
struct Box {
  Shape data, at, size;
  std::size_t axes;  // an index names; what lies behind them is whole
};
std::vector<std::int64_t> indices_of(const Box& box) {
  std::vector<std::int64_t> rows;
  const std::int64_t n =
      element_count(Shape(box.size.begin(), box.size.begin() + static_cast<std::ptrdiff_t>(box.axes)));
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> row(box.axes);
    std::int64_t rest = i;
    for (std::size_t d = box.axes; d-- > 0; rest /= box.size[d]) row[d] = box.at[d] + rest % box.size[d];
    if (box.at[0] > 1) row[0] -= box.data[0];
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}
template <class T>
std::vector<T> scattered_rows(const Shape& data_dims, std::size_t axes, const std::vector<std::int64_t>& rows,
                              std::vector<T> data, const std::vector<T>& updates) {
  const auto strides = layout_strides(data_dims, Layout::Dense);
  const auto block = static_cast<std::size_t>(strides[axes - 1]);
  for (std::size_t r = 0; r * axes < rows.size(); ++r) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < axes; ++d) {
      const std::int64_t i = rows[r * axes + d];
      to += (i < 0 ? i + data_dims[d] : i) * strides[d];
    }
    std::copy_n(updates.begin() + static_cast<std::ptrdiff_t>(r * block), block, data.begin() + to);
  }
  return data;
}
TEST(ScatterNd, KnownIndicesOfSlices) {
  const Box boxes[] = {{{4, 6, 5}, {0, 0, 0}, {4, 6, 5}, 3},
                       {{4, 6, 5}, {1, 2, 1}, {2, 3, 3}, 3},
                       {{4, 6, 5}, {2, 0, 2}, {2, 6, 3}, 3},
                       {{4, 6, 5}, {3, 1, 0}, {1, 4, 5}, 2},
                       {{300, 70}, {2, 3}, {290, 60}, 2},
                       {{300, 70}, {2, 0}, {297, 70}, 1},
                       {{7}, {2}, {5}, 1},
                       {{3, 2, 40, 50}, {0, 1, 7, 30}, {3, 1, 20, 20}, 4}};
  for (const Box& box : boxes) {
    auto rows = indices_of(box);
    ScatterNdConfig c;
    c.axes = Shape(box.data.begin(), box.data.begin() + static_cast<std::ptrdiff_t>(box.axes));
    c.rows = static_cast<std::int64_t>(rows.size() / box.axes);
    c.block = element_count(box.data) / element_count(c.axes);
    c.type = DataType::Uint16;
    auto data = counted<std::uint16_t>(element_count(box.data), 0);
    auto updates = counted<std::uint16_t>(c.rows * c.block, 1000);
    // Where they lie in a file.
    std::vector<char> file(1 + rows.size() * sizeof(std::int64_t));
    std::memcpy(file.data() + 1, rows.data(), file.size() - 1);
    for (const char* at : {reinterpret_cast<const char*>(rows.data()), static_cast<const char*>(file.data() + 1)}) {
      c.indices = {at, true, file.size() - 1};
      const auto want = scattered_rows(box.data, box.axes, rows, data, updates);
      for (const auto& candidate : scatter_nd_candidates()) {
        if (candidate.name == "scatter_nd" && at != reinterpret_cast<const char*>(rows.data())) continue;
        ASSERT_EQ(candidate.refuses(c), "") << to_string(box.data) << candidate.name;
        Constants constants;
        const auto kernel = candidate.make(c, constants);
        EXPECT_EQ(kernel->reads(1), candidate.name == "scatter_nd");
        void* const indices = kernel->reads(1) ? rows.data() : nullptr;
        EXPECT_EQ(
            run_at_widths(*kernel, {data.data(), indices, updates.data()}, std::vector<std::uint16_t>(data.size())),
            want);
        auto in_place = data;  // the output is the data
        std::vector<char> scratch(kernel->scratch_bytes() + 64);
        void* const operands[] = {in_place.data(), indices, updates.data(), in_place.data()};
        kernel->run(operands, scratch.data());
        EXPECT_EQ(in_place, want);
      }
    }
  }
}
TEST(ScatterNd, KnownIndicesInNoOrder) {
  ScatterNdConfig c;
  c.axes = {6};
  c.block = 2;
  for (const std::vector<std::int64_t>& rows :
       {std::vector<std::int64_t>{3, 4, 0, 1}, {0, 1, 1, 2}, {0, 1, 5, 6}, {-7, 0, 1, 2}, {0, 2, 4}}) {
    c.rows = static_cast<std::int64_t>(rows.size());
    c.indices = {rows.data(), true, rows.size() * sizeof(std::int64_t)};
    EXPECT_NE(scatter_nd_candidates()[0].refuses(c), "");
    EXPECT_EQ(scatter_nd_candidates()[1].refuses(c), "");
  }
  const std::vector<std::int64_t> rows = {-6, -5, 4, 5};  // in order
  c.rows = 4;
  c.indices = {rows.data(), true, 32};
  EXPECT_EQ(scatter_nd_candidates()[0].refuses(c), "");
  c.kind = ScatterKind::Add;
  EXPECT_NE(scatter_nd_candidates()[0].refuses(c), "");
}
template <class T, class I>
void check_elements(DataType type) {
  for (const auto& [data_dims, index_dims] : kShapes)
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(data_dims.size()); ++axis) {
      bool fits = true;
      for (std::size_t d = 0; d < data_dims.size(); ++d)
        fits = fits && (static_cast<std::int64_t>(d) == axis || index_dims[d] <= data_dims[d]);
      if (!fits) continue;
      const std::int64_t n = element_count(index_dims);
      auto data = counted<T>(element_count(data_dims), 0), updates = counted<T>(n, 60);
      const auto wide = random_indices(n, data_dims[static_cast<std::size_t>(axis)], 5);
      std::vector<I> indices(wide.begin(), wide.end());
      Constants constants;
      const GatherElementsConfig gather{data_dims, index_dims, axis, sizeof(T), sizeof(I) == 8};
      ASSERT_EQ(gather_elements_candidates()[0].refuses(gather), "");
      const auto picked = run_at_widths(*gather_elements_candidates()[0].make(gather, constants),
                                        {data.data(), indices.data()}, std::vector<T>(static_cast<std::size_t>(n)));
      for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(picked[static_cast<std::size_t>(i)],
                  data[place(index_dims, i, data_dims, axis, wide[static_cast<std::size_t>(i)])]);
      for (const ScatterKind kind :
           {ScatterKind::Replace, ScatterKind::Add, ScatterKind::Mul, ScatterKind::Max, ScatterKind::Min}) {
        const ScatterElementsConfig scatter{data_dims, index_dims, axis, type, kind, sizeof(I) == 8};
        ASSERT_EQ(scatter_elements_candidates()[0].refuses(scatter), "");
        const auto written = run_at_widths(*scatter_elements_candidates()[0].make(scatter, constants),
                                           {data.data(), indices.data(), updates.data()}, std::vector<T>(data.size()));
        std::vector<T> want = data;
        for (std::int64_t i = 0; i < n; ++i) {
          T& to = want[place(index_dims, i, data_dims, axis, wide[static_cast<std::size_t>(i)])];
          const T u = updates[static_cast<std::size_t>(i)];
          switch (kind) {
            case ScatterKind::Replace: to = u; break;
            case ScatterKind::Add: to = static_cast<T>(to + u); break;
            case ScatterKind::Mul: to = static_cast<T>(to * u); break;
            case ScatterKind::Max: to = std::max(to, u); break;
            case ScatterKind::Min: to = std::min(to, u); break;
          }
        }
        ASSERT_EQ(written, want) << to_string(data_dims) << to_string(index_dims) << axis;
      }
    }
}
TEST(ScatterElements, EveryShape) {
  check_elements<float, std::int64_t>(DataType::Float);
  check_elements<std::uint8_t, std::int32_t>(DataType::Uint8);
  check_elements<double, std::int32_t>(DataType::Double);
}

// What each addition of 16 bits would lose (256 + 1, 2048 + 1), or overflow.
TEST(ScatterElements, HalvesAreRoundedOnce) {
  const std::int64_t n = 3000;
  const auto check = [&](DataType type, ScatterKind kind, std::vector<std::uint16_t> updates, std::uint16_t start,
                         std::uint16_t want) {
    std::vector<std::uint16_t> data = {start, start, start};
    std::vector<std::int64_t> indices(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i % 2 == 0 ? -2 : 1;
    Constants constants;
    const std::vector<std::uint16_t> all = {start, want, start};
    EXPECT_EQ(run_at_widths(*scatter_elements_candidates()[0].make({{3}, {n}, 0, type, kind, true}, constants),
                            {data.data(), indices.data(), updates.data()}, std::vector<std::uint16_t>(3)),
              all);
    for (auto& i : indices) i = 1;
    EXPECT_EQ(run_at_widths(*scatter_nd_candidates().back().make({n, {3}, 1, type, kind}, constants),
                            {data.data(), indices.data(), updates.data()}, std::vector<std::uint16_t>(3)),
              all);
  };
  const auto repeated = [&](std::vector<std::uint16_t> pattern) {
    std::vector<std::uint16_t> all;
    for (std::int64_t i = 0; i < n; ++i) all.push_back(pattern[static_cast<std::size_t>(i) % pattern.size()]);
    return all;
  };
  const auto f16 = base::float_to_half, bf16 = base::float_to_bfloat16;
  check(DataType::Float16, ScatterKind::Add, repeated({f16(1)}), f16(2), f16(3002));
  check(DataType::BFloat16, ScatterKind::Add, repeated({bf16(1)}), bf16(0), bf16(3000));
  check(DataType::Float16, ScatterKind::Add, repeated({f16(60000), f16(60000), f16(-60000), f16(-60000)}), f16(1),
        f16(1));
  check(DataType::Float16, ScatterKind::Mul, repeated({f16(1024), f16(1024), f16(1.0f / 1024), f16(1.0f / 1024)}),
        f16(3), f16(3));
}

TEST(ScatterElements, AnIndexOutsideIsAnError) {
  std::vector<float> data(12), out(4);
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-4}, std::numeric_limits<std::int64_t>::min()}) {
    std::vector<std::int64_t> indices = {0, 1, bad, 2};
    Constants constants;
    const auto kernel = gather_elements_candidates()[0].make({{3, 4}, {1, 4}, 0, 4, true}, constants);
    void* operands[] = {data.data(), indices.data(), out.data()};
    EXPECT_THROW(kernel->run(operands, nullptr), Error);
  }
}

TEST(ScatterNd, Blocks) {
  const Shape axes = {4, 5};
  for (const std::int64_t block : {1, 3}) {
    auto data = counted<std::int32_t>(20 * block, 0);
    std::vector<std::int64_t> indices = {1, 2, -1, -5, 3, 4, 1, 2};
    const std::int64_t at[] = {7, 15, 19, 7};
    Constants constants;
    const auto got =
        run_at_widths(*gather_nd_candidates()[0].make({1, 4, axes, block, 4}, constants), {data.data(), indices.data()},
                      std::vector<std::int32_t>(static_cast<std::size_t>(4 * block)));
    auto updates = counted<std::int32_t>(4 * block, 500);
    const auto written = run_at_widths(
        *scatter_nd_candidates().back().make({4, axes, block, DataType::Int32, ScatterKind::Add}, constants),
        {data.data(), indices.data(), updates.data()}, std::vector<std::int32_t>(data.size()));
    auto want = data;
    for (std::int64_t r = 0; r < 4; ++r)
      for (std::int64_t i = 0; i < block; ++i) {
        EXPECT_EQ(got[static_cast<std::size_t>(r * block + i)], data[static_cast<std::size_t>(at[r] * block + i)]);
        want[static_cast<std::size_t>(at[r] * block + i)] += updates[static_cast<std::size_t>(r * block + i)];
      }
    EXPECT_EQ(written, want);
  }
}

// Long blocks are shared among threads; what names one block again comes later.
TEST(ScatterNd, LongBlocks) {
  constexpr std::int64_t kBlock = 50001, kBlocks = 7;
  std::vector<std::int64_t> indices = {3, -1, 0, 3, 5, -7, 3};
  const std::size_t at[] = {3, 6, 0, 3, 5, 0, 3};
  auto data = counted<float>(kBlock * kBlocks, 0), updates = counted<float>(kBlock * 7, 9);
  for (const ScatterKind kind : {ScatterKind::Replace, ScatterKind::Add, ScatterKind::Max}) {
    Constants constants;
    const auto got =
        run_at_widths(*scatter_nd_candidates().back().make({7, {kBlocks}, kBlock, DataType::Float, kind}, constants),
                      {data.data(), indices.data(), updates.data()}, std::vector<float>(data.size()));
    auto want = data;
    for (std::size_t r = 0; r < 7; ++r)
      for (std::size_t i = 0; i < kBlock; ++i) {
        float& to = want[at[r] * kBlock + i];
        const float update = updates[r * kBlock + i];
        to = kind == ScatterKind::Replace ? update : kind == ScatterKind::Add ? to + update : std::max(to, update);
      }
    EXPECT_EQ(got, want);
  }
}

// n places from `first` on, each of them twice.
std::vector<std::int64_t> twice(std::int64_t first, std::int64_t n) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 2 * n; ++i) places.push_back(first + i / 2);
  return places;
}

template <class T>
void check_remap() {
  std::vector<RemapConfig> configs = {
      {{3, 4, 20}, {{2, 2, 0}, {0, 1, 2, 3}, {}}, sizeof(T)},
      {{3, 4, 20}, {{0, 1, 1, 2}, {3, 0, 0}, {}}, sizeof(T)},
      {{5, 2}, {{4, 3, 2, 1, 0, 0}, {0, 1}}, sizeof(T)},
      {{}, {}, sizeof(T)},
      {{3, 2, 90}, {{0, 0, 2}, {0, 0, 1, 1, 1}, twice(2, 71)}, sizeof(T)},
      {{3, 90}, {{0, 0, 0, 1, 2, 2}, twice(5, 9)}, sizeof(T)},
      {{90}, {twice(0, 33)}, sizeof(T)},
  };
  // Rows of every short length, one behind the other.
  for (std::int64_t n = 1; n < 70; ++n) {
    RemapConfig& c = configs.emplace_back(RemapConfig{{3, n}, {{0, 1, 1, 2, 0}, {}}, sizeof(T)});
    for (std::int64_t i = 0; i < 2 * n; ++i) c.from[1].push_back(i % n);
    // Rows that begin again, equally far apart or not, with filled ones and ends between them.
    for (const bool fills : {false, true}) {
      RemapConfig& tiled = configs.emplace_back(RemapConfig{{4, 6, n}, {{0, 1, 2, 3}, {}, {}}, sizeof(T)});
      for (std::int64_t i = 0; i < 16; ++i) tiled.from[1].push_back(n % 3 == 0 ? i * i % 6 : i % 6);
      if (fills) tiled.from[2].assign(static_cast<std::size_t>(n % 4), -1);
      for (std::int64_t i = 0; i < 3 * n; ++i) tiled.from[2].push_back(i % n);
      if (fills) tiled.from[2].insert(tiled.from[2].end(), static_cast<std::size_t>(n % 5), -1);
      if (fills) tiled.from[1].insert(tiled.from[1].begin() + 4, -1);
    }
  }
  for (RemapConfig c : configs) {
    if (!c.from.empty() && c.from.back().empty()) {
      // Runs of all lengths, backwards, repeated.
      for (std::int64_t i = 0; i < 20; ++i) c.from.back().push_back(i);
      c.from.back().insert(c.from.back().end(), {3, 2, 1, 1, 1, 7, 8, 9, 19, 0, 0});
      // Each several times, the last of them more or less often.
      for (const std::int64_t times : {2, 3, 4, 7, 70}) {
        for (std::int64_t i = 0; i < 17 * times; ++i) c.from.back().push_back(1 + i / times);
        if (times % 2 == 0) c.from.back().insert(c.from.back().end(), {18, 17, 17});
      }
    }
    auto x = counted<T>(element_count(c.x), 3);
    const T fill{99};
    std::memcpy(c.fill.data(), &fill, sizeof fill);
    Shape out;
    for (const auto& table : c.from) out.push_back(static_cast<std::int64_t>(table.size()));
    ASSERT_EQ(remap_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got = run_at_widths(*remap_candidates()[0].make(c, constants), {x.data()},
                                   std::vector<T>(static_cast<std::size_t>(element_count(out))));
    const auto strides = layout_strides(c.x, Layout::Dense);
    for (std::int64_t i = 0; i < element_count(out); ++i) {
      std::int64_t rest = i, at = 0;
      bool filled = false;
      for (std::size_t d = out.size(); d-- > 0; rest /= out[d]) {
        const std::int64_t from = c.from[d][static_cast<std::size_t>(rest % out[d])];
        filled = filled || from < 0;
        at += from * strides[d];
      }
      ASSERT_EQ(got[static_cast<std::size_t>(i)], filled ? fill : x[static_cast<std::size_t>(at)]) << to_string(c.x);
    }
  }
}
TEST(Remap, EverySize) {
  check_remap<std::uint8_t>();
  check_remap<std::uint16_t>();
  check_remap<float>();
  check_remap<double>();
}

TEST(Resample, TapsAlongAxes) {
  const ResampledAxis last{.axis = 2,
                           .out = 9,
                           .taps = 2,
                           .index = {0, 1, 1, 2, 2, 3, 3, 3, 0, 5, 5, 4, 4, 3, 3, 2, 1, 0},
                           .weight = {.5, .5, .25, .75, 1, 0, .5, .5, .1, .9, .3, .7, .6, .4, .2, .8, .35, .65}};
  const ResampledAxis middle{
      .axis = 1, .out = 2, .taps = 3, .index = {0, 1, 2, 3, 2, 1}, .weight = {.2, .3, .5, -.5, 1, .5}};
  auto x = random_floats(3 * 4 * 6, 2);
  const ResampleConfig c{{3, 4, 6}, DataType::Float, {last, middle}};
  ASSERT_EQ(resample_candidates()[0].refuses(c), "");
  Constants constants;
  const auto got =
      run_at_widths(*resample_candidates()[0].make(c, constants), {x.data()}, std::vector<float>(3 * 2 * 9));
  std::vector<double> want;
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 9; ++j) {
        double sum = 0;
        for (std::size_t s = 0; s < 3; ++s)
          for (std::size_t t = 0; t < 2; ++t)
            sum += middle.weight[i * 3 + s] * last.weight[j * 2 + t] *
                   x[(b * 4 + static_cast<std::size_t>(middle.index[i * 3 + s])) * 6 +
                     static_cast<std::size_t>(last.index[j * 2 + t])];
        want.push_back(sum);
      }
  expect_close(got, want, 1e-6, "two axes");
}

// Lines of vectors of every width: what a block of coordinates reads may lie within two of them, or not, and at an end.
TEST(Resample, LinesOfEveryLength) {
  for (const std::int64_t in : {1, 7, 8, 15, 16, 31, 32, 33, 64, 130})
    for (const double step : {0.4, 1.0, 1.9, 2.0, 3.5}) {
      ResampledAxis axis{.axis = 1, .out = std::max<std::int64_t>(1, static_cast<std::int64_t>(in / step)), .taps = 3};
      for (std::int64_t o = 0; o < axis.out; ++o)
        for (std::int64_t t = 0; t < 3; ++t) {
          const auto at = static_cast<std::int64_t>(static_cast<double>(o) * step) + t - 1;
          axis.index.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(at, 0, in - 1)));
          axis.weight.push_back(0.25 * static_cast<double>(t + 1) - 0.1 * static_cast<double>(o % 3));
        }
      auto x = random_floats(2 * in, static_cast<unsigned>(in));
      std::vector<double> want;
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t o = 0; o < axis.out; ++o) {
          double sum = 0;
          for (std::int64_t t = 0; t < 3; ++t) {
            const auto i = static_cast<std::size_t>(o * 3 + t);
            sum += axis.weight[i] * x[static_cast<std::size_t>(b * in + axis.index[i])];
          }
          want.push_back(sum);
        }
      Constants constants;
      const auto kernel = resample_candidates()[0].make({{2, in}, DataType::Float, {axis}}, constants);
      expect_close(run_at_widths(*kernel, {x.data()}, std::vector<float>(want.size())), want, 1e-6,
                   std::to_string(in) + " by " + std::to_string(step));
      std::vector<double> wide(x.begin(), x.end());
      const auto doubles = resample_candidates()[0].make({{2, in}, DataType::Double, {axis}}, constants);
      const auto got = run_at_widths(*doubles, {wide.data()}, std::vector<double>(want.size()));
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-12);
    }
}

// Few elements between neighbours, as colours are.
TEST(Resample, PixelsOfFewElements) {
  for (const std::int64_t inner : {2, 3, 4, 5})
    for (const std::int64_t taps : {1, 2, 4, 7}) {
      const std::int64_t in = 11, out = 14;
      ResampledAxis axis{.axis = 1, .out = out, .taps = taps};
      for (std::int64_t i = 0; i < out * taps; ++i) axis.index.push_back(static_cast<std::int32_t>(i * 5 % in));
      for (const float w : random_floats(out * taps, 3)) axis.weight.push_back(w);
      const auto x = random_floats(2 * in * inner, static_cast<unsigned>(inner));
      std::vector<double> want;
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t o = 0; o < out; ++o)
          for (std::int64_t c = 0; c < inner; ++c) {
            double sum = 0;
            for (std::int64_t t = 0; t < taps; ++t) {
              const auto i = static_cast<std::size_t>(o * taps + t);
              sum += axis.weight[i] * x[static_cast<std::size_t>((b * in + axis.index[i]) * inner + c)];
            }
            want.push_back(sum);
          }
      Constants constants;
      const auto kernel = resample_candidates()[0].make({{2, in, inner}, DataType::Float, {axis}}, constants);
      expect_close(run_at_widths(*kernel, {const_cast<float*>(x.data())}, std::vector<float>(want.size())), want, 1e-6,
                   std::to_string(inner) + " elements, " + std::to_string(taps) + " taps");
    }
}

// Tensors beyond the second cache: lines along one axis are made as those along an axis before it are.
TEST(Resample, TwoAxesAtOnce) {
  struct Case {
    Shape x;
    std::int64_t first, second, out_first, out_second;
  };
  for (const Case& c : {Case{{2, 60, 2, 100, 6}, 3, 1, 250, 130}, Case{{3, 150, 900}, 2, 1, 1500, 200},
                        Case{{1, 300, 70, 40}, 2, 1, 90, 100}})
    for (const std::int64_t taps : {1, 2, 3}) {
      const auto axis_of = [&](std::int64_t axis, std::int64_t out) {
        const std::int64_t in = c.x[static_cast<std::size_t>(axis)];
        ResampledAxis made{.axis = axis, .out = out, .taps = taps};
        for (std::int64_t o = 0; o < out; ++o)
          for (std::int64_t t = 0; t < taps; ++t) {
            made.index.push_back(static_cast<std::int32_t>(std::min(in - 1, o * in / out + t)));
            made.weight.push_back(static_cast<double>((o * 7 + t * 3) % 11) / 8);
          }
        return made;
      };
      const ResampleConfig config{
          c.x, DataType::Float, {axis_of(c.first, c.out_first), axis_of(c.second, c.out_second)}};
      auto x = random_floats(element_count(c.x), 7);
      // A pass at a time.
      Shape dims = c.x;
      std::vector<double> want(x.begin(), x.end());
      for (const ResampledAxis& axis : config.axes) {
        const auto d = static_cast<std::size_t>(axis.axis);
        std::int64_t outer = 1, inner = 1;
        for (std::size_t i = 0; i < dims.size(); ++i)
          if (i != d) (i < d ? outer : inner) *= dims[i];
        std::vector<double> made(static_cast<std::size_t>(outer * axis.out * inner));
        for (std::int64_t o = 0; o < outer; ++o)
          for (std::int64_t at = 0; at < axis.out; ++at)
            for (std::int64_t t = 0; t < axis.taps; ++t)
              for (std::int64_t i = 0; i < inner; ++i) {
                const auto tap = static_cast<std::size_t>(at * axis.taps + t);
                made[static_cast<std::size_t>((o * axis.out + at) * inner + i)] +=
                    axis.weight[tap] * want[static_cast<std::size_t>((o * dims[d] + axis.index[tap]) * inner + i)];
              }
        dims[d] = axis.out;
        want = std::move(made);
      }
      Constants constants;
      ASSERT_EQ(resample_candidates()[0].refuses(config), "");
      const auto got =
          run_at_widths(*resample_candidates()[0].make(config, constants), {x.data()}, std::vector<float>(want.size()));
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 2e-6 * (1 + std::abs(want[i]))) << i;
    }
}

TEST(Resample, IntegersAreRoundedToEvenAndKeptWithinTheirType) {
  std::vector<std::int8_t> x = {1, 2, 127, 127, -3, -4};
  const ResampledAxis axis{
      .axis = 0, .out = 3, .taps = 2, .index = {0, 1, 2, 3, 4, 5}, .weight = {.5, .5, 1, 1, .5, .5}};
  Constants constants;
  const auto got = run_at_widths(*resample_candidates()[0].make({{6}, DataType::Int8, {axis}}, constants), {x.data()},
                                 std::vector<std::int8_t>(3));
  EXPECT_EQ(got, (std::vector<std::int8_t>{2, 127, -4}));
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> words = {1'000'000'001, 1'000'000'002, kMost, kMost, -2'000'000'001, -2'000'000'002};
  EXPECT_EQ(run_at_widths(*resample_candidates()[0].make({{6}, DataType::Int32, {axis}}, constants), {words.data()},
                          std::vector<std::int32_t>(3)),
            (std::vector<std::int32_t>{1'000'000'002, kMost, -2'000'000'002}));
}

}  // namespace
}  // namespace norn::kernels
