// Products of 8-bit integers (int8_test.h), and what else is computed of them.
#include "kernels/cpu/int8_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/cpu/byte_table.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/quantized_chain.h"

namespace norn::kernels {
namespace {

using namespace test;

TEST(Int8, Convolutions) {
  const DataType u8 = DataType::Uint8, s8 = DataType::Int8;
  unsigned seed = 1;
  for (const DataType x : {u8, s8})
    for (const DataType w : {u8, s8}) {
      const auto make = [&](Shape in, Shape filters, Shape out, std::int64_t group, Shape strides, Shape dilations,
                            Shape begin, Shape end) {
        ConvInt8Config c{std::move(in),        std::move(filters), std::move(out), group, std::move(strides),
                         std::move(dilations), std::move(begin),   std::move(end), x,     w};
        check_conv(c, seed += 10);
      };
      make({2, 5, 7, 6}, {19, 5, 3, 3}, {2, 19, 7, 6}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1});
      make({1, 80, 7, 6}, {64, 80, 1, 1}, {1, 64, 7, 6}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0});
      make({1, 128, 48}, {64, 128, 1}, {1, 64, 48}, 1, {1}, {1}, {0}, {0});
      make({1, 64, 9, 9}, {70, 64, 1, 1}, {1, 70, 9, 9}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0});
      make({1, 6, 8, 9}, {4, 3, 3, 2}, {1, 4, 5, 9}, 2, {2, 1}, {1, 2}, {2, 2}, {2, 0});
      make({1, 24, 11, 8}, {24, 1, 3, 3}, {1, 24, 6, 4}, 24, {2, 2}, {1, 1}, {1, 1}, {1, 1});
      make({2, 7, 20}, {9, 7, 4}, {2, 9, 9}, 1, {2}, {1}, {1}, {0});
      make({1, 70, 9, 6}, {70, 1, 5, 5}, {1, 70, 9, 6}, 70, {1, 1}, {1, 1}, {2, 2}, {2, 2});
      make({2, 5, 4, 71}, {5, 1, 3, 3}, {2, 5, 4, 71}, 5, {1, 1}, {1, 1}, {1, 1}, {1, 1});
      make({1, 130, 6, 7}, {130, 1, 2, 3}, {1, 130, 5, 4}, 130, {1, 2}, {1, 2}, {0, 3}, {0, 1});
      make({2, 33, 30}, {33, 1, 4}, {2, 33, 14}, 33, {2}, {1}, {0}, {0});
      make({1, 8, 40, 7}, {8, 1, 33, 1}, {1, 8, 40, 7}, 8, {1, 1}, {1, 1}, {16, 0}, {16, 0});
      make({2, 21, 5, 6, 7}, {21, 1, 3, 3, 3}, {2, 21, 5, 3, 7}, 21, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1});
      make({1, 12, 4, 9, 5}, {24, 2, 2, 1, 3}, {1, 24, 4, 5, 3}, 6, {1, 2, 1}, {1, 1, 2}, {1, 0, 1}, {0, 0, 1});
      make({2, 1, 9, 20}, {1, 1, 3, 3}, {2, 1, 9, 20}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1});
      make({1, 1, 40}, {1, 1, 3}, {1, 1, 10}, 1, {4}, {1}, {1}, {0});
      make({2, 5, 9, 8}, {10, 1, 2, 1}, {2, 10, 3, 2}, 5, {4, 4}, {1, 1}, {1, 0}, {1, 0});
      make({1, 33, 6, 7}, {99, 1, 1, 1}, {1, 99, 3, 4}, 33, {2, 2}, {1, 1}, {0, 0}, {0, 0});
      make({1, 3, 4, 5, 9}, {24, 1, 3, 1, 2}, {1, 24, 2, 3, 5}, 3, {2, 2, 2}, {1, 1, 3}, {1, 0, 2}, {0, 0, 2});
      make({1, 6, 1, 9}, {9, 2, 1, 3}, {1, 9, 1, 7}, 3, {1, 1}, {1, 1}, {0, 0}, {0, 0});
      make({1, 3, 4, 5, 6}, {5, 3, 2, 3, 3}, {1, 5, 4, 5, 6}, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1});
    }
}

// Filters that are few enough for several pixels in a vector of sums.
// Zero points for all, for each column, and for stretches, which bring elements to and over the ends of int8.
TEST(Int8, ElementsThatFitWithoutTheirZeroPoints) {
  std::mt19937 engine(5);
  int fit = 0, all = 0;
  for (const DataType type : {DataType::Uint8, DataType::Int8})
    for (const std::int64_t zeros : {0, 1, 3, 64, 5000})
      for (const std::int64_t each : {1, 7})
        for (const std::int64_t elements : {0, 1, 4999, 3 * 5000, 7 * 64 * 3 - 2})
          for (const int spread : {0, 1, 60, 127, 255}) {
            const int middle = type == DataType::Uint8 ? 128 : 0;
            const auto near = [&](int by) {
              const int v = middle + std::uniform_int_distribution<int>(-by, by)(engine);
              return static_cast<std::uint8_t>(std::clamp(v, middle - 128, middle + 127));
            };
            std::vector<std::uint8_t> w(static_cast<std::size_t>(elements)), z(static_cast<std::size_t>(zeros));
            for (auto& v : w) v = near(spread);
            for (auto& v : z) v = near(spread == 255 ? 0 : 128 - spread);
            const Centering c{type, z.data(), zeros, each};
            bool want = true;
            for (std::int64_t i = 0; i < elements; ++i) {
              const std::uint8_t v = w[static_cast<std::size_t>(i)];
              const int value = (type == DataType::Uint8 ? v : static_cast<std::int8_t>(v)) - c.zero_of(i);
              want = want && value >= -128 && value <= 127;
            }
            EXPECT_EQ(c.fits({w.data()}, elements), want) << zeros << ' ' << each << ' ' << elements << ' ' << spread;
            fit += want;
            ++all;
          }
  EXPECT_GT(fit, all / 4);
  EXPECT_LT(fit, all * 9 / 10);
}

TEST(Int8, FewFilters) {
  unsigned seed = 1;
  for (const DataType x : {DataType::Uint8, DataType::Int8})
    for (const DataType w : {DataType::Uint8, DataType::Int8}) {
      const auto make = [&](std::int64_t channels, std::int64_t filters, std::int64_t rows, std::int64_t columns) {
        const Shape in = {2, channels, rows, columns}, out = {2, filters, rows, columns};
        check_conv({in, {filters, channels, 1, 1}, out, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}, x, w}, seed += 10);
      };
      make(24, 4, 6, 10);
      make(7, 1, 4, 12);
      make(64, 3, 5, 9);
      make(5, 8, 3, 3);
      make(127, 2, 2, 3);
      // Windows, for several pixels of the output at once.
      const auto window = [&](Shape in, Shape filters, Shape out, Shape strides, Shape begin, Shape end) {
        const Shape ones(strides.size(), 1);
        check_conv({in, filters, out, 1, strides, ones, begin, end, x, w}, seed += 10);
      };
      window({2, 32, 6, 20}, {3, 32, 5, 5}, {2, 3, 6, 20}, {1, 1}, {2, 2}, {2, 2});
      window({1, 7, 5, 11}, {8, 7, 3, 3}, {1, 8, 3, 6}, {2, 2}, {1, 1}, {1, 1});
      window({1, 6, 30}, {1, 6, 7}, {1, 1, 24}, {1}, {0}, {0});
      window({1, 12, 3, 4, 9}, {4, 12, 2, 3, 3}, {1, 4, 2, 4, 8}, {1, 1, 1}, {0, 1, 0}, {0, 1, 1});
      window({2, 5, 4, 18}, {2, 5, 1, 9}, {2, 2, 4, 8}, {1, 2}, {0, 3}, {0, 2});
    }
}

// Windows of many elements over one channel of a volume.
TEST(Int8, FiltersOfOneChannelOfAVolume) {
  const DataType u8 = DataType::Uint8, s8 = DataType::Int8;
  unsigned seed = 1;
  for (const DataType x : {s8, u8})
    for (const Shape& window : {Shape{4, 4, 4}, {1, 8, 8}, {3, 4, 5}}) {
      const Shape in = {2, 17, window[0], window[1] + 1, window[2]}, w = {17, 1, window[0], window[1], window[2]};
      check_conv({in, w, {2, 17, 1, 2, 1}, 17, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, x, s8}, seed += 10);
    }
}

// Channels that are stored as places of blocks: lines that tiles of rows cross, and panels of part of a line.
TEST(Int8, PlacesOfBlocks) {
  const DataType u8 = DataType::Uint8, s8 = DataType::Int8;
  unsigned seed = 1;
  for (const auto& [x, w] : {std::pair(u8, s8), {s8, s8}, {u8, u8}}) {
    const auto make = [&](Shape in, Shape filters, Shape out, Shape blocks, std::int64_t pad) {
      const std::size_t rank = in.size() - 2;
      ConvInt8Config c{std::move(in),  std::move(filters), std::move(out),   1, Shape(rank, 1),
                       Shape(rank, 1), Shape(rank, pad),   Shape(rank, pad), x, w};
      c.blocks = std::move(blocks);
      check_conv(c, seed += 10);
    };
    make({2, 8, 5, 7}, {12, 8, 1, 1}, {2, 12, 5, 7}, {2, 2}, 0);
    make({1, 12, 5, 31}, {2 * 3 * 11, 12, 1, 1}, {1, 2 * 3 * 11, 5, 31}, {2, 3}, 0);
    make({1, 5, 6, 3}, {32, 5, 3, 3}, {1, 32, 6, 3}, {1, 4}, 1);
    make({2, 4, 150}, {24, 4, 3}, {2, 24, 150}, {3}, 1);
    make({1, 8, 3, 2, 5}, {36, 8, 1, 1, 1}, {1, 36, 3, 2, 5}, {2, 3, 2}, 0);
    make({1, 4, 2, 3}, {4, 4, 1, 1}, {1, 4, 2, 3}, {2, 2}, 0);
  }
  ConvInt8Config c{{1, 4, 2, 3}, {6, 4, 1, 1}, {1, 6, 2, 3}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  for (const Shape& blocks : {Shape{2, 2}, {2}, {0, 1}, {-1, 2}}) {
    c.blocks = blocks;
    for (const auto& candidate : conv_int8_candidates()) EXPECT_NE(candidate.refuses(c), "") << candidate.name;
  }
}

TEST(Int8, MatrixProducts) {
  unsigned seed = 1;
  for (const DataType x : {DataType::Uint8, DataType::Int8})
    for (const DataType w : {DataType::Uint8, DataType::Int8}) {
      const auto make = [&](Shape a, Shape b, Shape out) {
        check_matmul({std::move(a), std::move(b), std::move(out), x, w}, seed += 10);
      };
      make({1, 3}, {3, 2}, {1, 2});
      make({5, 300}, {300, 33}, {5, 33});
      make({70, 64}, {64, 270}, {70, 270});
      make({2, 3, 17}, {17, 20}, {2, 3, 20});
      make({2, 9, 40}, {2, 40, 18}, {2, 9, 18});
      make({1, 513}, {513, 1}, {1, 1});
    }
}

// A bias that leaves no room for the sums in 32 bits.
TEST(Int8, BiasesAtTheEndsOfTheirType) {
  MatMulInt8Config c{{1, 2}, {2, 3}, {1, 3}};
  c.output.type = DataType::Int8;
  std::vector<std::uint8_t> x = {255, 255};
  std::vector<std::int8_t> w = {127, -128, 0, 127, -128, 0}, zero = {-7};
  std::vector<std::int32_t> bias = {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(),
                                    std::numeric_limits<std::int32_t>::max()};
  std::vector<float> scale = {0x1p-28f};
  c.weights = {w.data()};
  std::vector<void*> operands(Op::Y);
  operands[Op::X] = x.data();
  operands[Op::W] = w.data();
  operands[Op::Bias] = bias.data();
  operands[Op::Scale] = scale.data();
  operands[Op::YZero] = zero.data();
  EXPECT_GE(offer(matmul_int8_candidates(), c, operands, {1, -15, 1}, "wide"), 1);
}

TEST(Int8, DepthwiseBiasesAtTheEndsOfTheirType) {
  ConvInt8Config c{{1, 3, 1, 2}, {3, 1, 1, 2}, {1, 3, 1, 1}, 3, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  c.output.type = DataType::Int8;
  c.output.tame = true;
  std::vector<std::uint8_t> x(6, 255);
  std::vector<std::int8_t> w = {127, 127, -128, -128, 0, 0}, zero = {-8};
  std::vector<std::int32_t> bias = {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(),
                                    std::numeric_limits<std::int32_t>::max()};
  std::vector<float> scale = {0x1p-28f};
  c.weights = {w.data()};
  std::vector<void*> operands(Op::Y);
  operands[Op::X] = x.data();
  operands[Op::W] = w.data();
  operands[Op::Bias] = bias.data();
  operands[Op::Scale] = scale.data();
  operands[Op::YZero] = zero.data();
  EXPECT_GE(offer(conv_int8_candidates(), c, operands, {0, -16, 0}, "wide"), 1);
}

TEST(Int8, Means) {
  for (const DataType type : {DataType::Uint8, DataType::Int8})
    for (const Layout layout : {Layout::ChannelsLast, Layout::Dense})
      for (const std::int64_t channels : {1, 70, 200}) {
        const Int8MeanConfig c{{2, channels, 25, 7}, type, layout};
        Bytes x(type, element_count(c.x), 7), zero(type, 1, 8);
        float scale = 0.3f;
        ASSERT_EQ(int8_mean_candidates()[0].refuses(c), "");
        Constants constants;
        const auto got = run_at_widths(*int8_mean_candidates()[0].make(c, constants), {x.data(), &scale, zero.data()},
                                       std::vector<float>(static_cast<std::size_t>(2 * channels)));
        const std::int64_t pixel = layout == Layout::Dense ? 1 : channels, plane = layout == Layout::Dense ? 175 : 1;
        for (std::int64_t n = 0; n < 2; ++n)
          for (std::int64_t m = 0; m < channels; ++m) {
            double sum = 0;
            for (std::int64_t p = 0; p < 175; ++p)
              sum += static_cast<double>(x.at(n * 175 * channels + m * plane + p * pixel) - zero.at(0)) *
                     static_cast<double>(scale);
            EXPECT_NEAR(got[static_cast<std::size_t>(n * channels + m)], sum / 175, 1e-5);
          }
      }
  EXPECT_NE(int8_mean_candidates()[0].refuses({{1, 2, 3000, 3000}, DataType::Uint8}), "");
  EXPECT_NE(int8_mean_candidates()[0].refuses({{1, 2, 0, 3}, DataType::Uint8}), "");
}

TEST(Int8, Tables) {
  for (const std::int64_t n : {0, 1, 7, 64, 130, 100003}) {
    ByteTableConfig c;
    c.elements = n;
    for (std::size_t i = 0; i < 256; ++i) c.table[i] = static_cast<std::uint8_t>(i * i + i * 7 + 3);
    Bytes x(DataType::Uint8, n, 5);
    ASSERT_EQ(byte_table_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got = run_at_widths(*byte_table_candidates()[0].make(c, constants), {x.data()},
                                   std::vector<std::uint8_t>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], static_cast<std::uint8_t>(x.raw[i] * x.raw[i] + x.raw[i] * 7 + 3)) << i;
  }
}

TEST(Int8, LargestOfWindows) {
  for (const DataType type : {DataType::Uint8, DataType::Int8})
    for (const Layout layout : {Layout::Dense, Layout::ChannelsLast})
      for (const std::int64_t channels : {3, 70}) {
        Int8PoolConfig c;
        c.type = type;
        c.pool.x = {2, channels, 7, 5};
        c.pool.out = {2, channels, 4, 5};
        c.pool.window = {3, 2};
        c.pool.strides = {2, 1};
        c.pool.dilations = {1, 2};
        c.pool.pads_begin = {1, 1};
        c.pool.pads_end = {1, 1};
        c.pool.x_layout = c.pool.out_layout = layout;
        Bytes x(type, element_count(c.pool.x), 9);
        const auto in = layout_strides(c.pool.x, layout), out = layout_strides(c.pool.out, layout);
        std::vector<double> want(static_cast<std::size_t>(element_count(c.pool.out)));
        for (std::int64_t n = 0; n < 2; ++n)
          for (std::int64_t m = 0; m < channels; ++m)
            for (std::int64_t h = 0; h < 4; ++h)
              for (std::int64_t v = 0; v < 5; ++v) {
                double most = type == DataType::Uint8 ? 0 : -128;
                for (std::int64_t i = 0; i < 3; ++i)
                  for (std::int64_t j = 0; j < 2; ++j) {
                    const std::int64_t row = 2 * h + i - 1, column = v + 2 * j - 1;
                    if (row < 0 || row >= 7 || column < 0 || column >= 5) continue;
                    most =
                        std::max(most, static_cast<double>(x.at(n * in[0] + m * in[1] + row * in[2] + column * in[3])));
                  }
                want[static_cast<std::size_t>(n * out[0] + m * out[1] + h * out[2] + v * out[3])] = most;
              }
        ASSERT_EQ(int8_pool_candidates()[0].refuses(c), "");
        Constants constants;
        const auto kernel = int8_pool_candidates()[0].make(c, constants);
        if (type == DataType::Uint8) {
          const auto got = run_at_widths(*kernel, {x.data()}, std::vector<std::uint8_t>(want.size()));
          EXPECT_EQ(std::vector<double>(got.begin(), got.end()), want);
        } else {
          const auto got = run_at_widths(*kernel, {x.data()}, std::vector<std::int8_t>(want.size()));
          EXPECT_EQ(std::vector<double>(got.begin(), got.end()), want);
        }
      }
}

// relu((a - 3) / 4 + b) + (c + 5) / 2, quantized by 1/8 and 7.
TEST(Int8, ChainsOfQuantizedTensors) {
  QuantizedChainConfig c;
  c.chain.out = {3, 700};
  c.chain.inputs = {{{3, 700}}, {{700}}, {{3, 700}}};
  c.chain.steps = {{ElementOp::Add, 0, 0, 1}, {ElementOp::Relu}, {ElementOp::Add, 0, 0, 2}};
  c.inputs = {DataType::Uint8, DataType::Float, DataType::Int8};
  c.out = DataType::Int8;
  Bytes a(DataType::Uint8, 2100, 3), d(DataType::Int8, 2100, 4);
  std::vector<float> b = random_floats(700, 5, -40, 40), a_scale = {0.25f}, d_scale = {0.5f}, y_scale = {0.125f};
  for (float& v : b) v = std::round(v * 16) / 16;
  std::vector<std::uint8_t> a_zero = {3};
  std::vector<std::int8_t> d_zero = {-5}, y_zero = {7};
  std::vector<std::int8_t> want;
  for (std::int64_t i = 0; i < 2100; ++i) {
    const double first = static_cast<double>(a.at(i) - 3) / 4 + b[static_cast<std::size_t>(i % 700)];
    const double v = std::max(first, 0.0) + static_cast<double>(d.at(i) + 5) / 2;
    want.push_back(static_cast<std::int8_t>(std::min(127.0, std::max(-128.0, std::nearbyint(v * 8) + 7))));
  }
  ASSERT_EQ(quantized_chain_candidates()[0].refuses(c), "");
  Constants constants;
  const auto got = run_at_widths(*quantized_chain_candidates()[0].make(c, constants),
                                 {a.data(), b.data(), d.data(), a_scale.data(), a_zero.data(), nullptr, nullptr,
                                  d_scale.data(), d_zero.data(), y_scale.data(), y_zero.data()},
                                 std::vector<std::int8_t>(2100));
  EXPECT_EQ(got, want);
}

// Both inputs of the output's type and one step: a pass of its own. Scales of 1 and of 2 leave quotients half way.
template <class T>
void check_join(ElementOp op, std::int64_t n, float a_scale, float b_scale, float y_scale) {
  const DataType type = std::is_signed_v<T> ? DataType::Int8 : DataType::Uint8;
  QuantizedChainConfig c;
  c.chain.out = {n};
  c.chain.inputs = {{{n}}, {{n}}};
  c.chain.steps = {{ElementOp::Identity}, {op, 0, 0, 1}};
  c.inputs = {type, type};
  c.out = type;
  Bytes a(type, n, 5), b(type, n, 6);
  T a_zero = 3, b_zero = 100, y_zero = 7;
  std::vector<T> want;
  for (std::int64_t i = 0; i < n; ++i) {
    const float left = static_cast<float>(a.at(i) - a_zero) * a_scale;
    const float right = static_cast<float>(b.at(i) - b_zero) * b_scale;
    const float quotient = (op == ElementOp::Add ? left + right : left * right) / y_scale;
    constexpr double least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    const double v = std::isnan(quotient) ? least : std::nearbyint(static_cast<double>(quotient)) + y_zero;
    want.push_back(static_cast<T>(std::clamp(v, least, most)));
  }
  ASSERT_EQ(quantized_chain_candidates()[0].refuses(c), "");
  Constants constants;
  const auto got = run_at_widths(*quantized_chain_candidates()[0].make(c, constants),
                                 {a.data(), b.data(), &a_scale, &a_zero, &b_scale, &b_zero, &y_scale, &y_zero},
                                 std::vector<T>(want));
  EXPECT_EQ(got, want) << n << " by " << y_scale;
}
TEST(Int8, SumsAndProductsOfQuantizedTensors) {
  for (const ElementOp op : {ElementOp::Add, ElementOp::Mul})
    for (const std::int64_t n : {0, 1, 7, 31, 32, 33, 64, 100, 5003})
      for (const float y_scale : {1.0f, 2.0f, 0.37f, 1e-33f, std::nanf("")}) {
        check_join<std::uint8_t>(op, n, 0.5f, 0.25f, y_scale);
        check_join<std::int8_t>(op, n, 0.11f, 0.07f, y_scale);
      }
}

}  // namespace
}  // namespace norn::kernels
