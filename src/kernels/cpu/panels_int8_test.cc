// Products with packed panels of bytes: groups, windows and columns that do not fit into whole panels, and numbers at
// the ends of their types. Every other candidate is compared with the same sums.
#include "kernels/cpu/panels_int8.h"

#include <algorithm>
#include <limits>
#include <random>

#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/guarded_test.h"
#include "kernels/cpu/int8_test.h"
#include "kernels/cpu/matmul_candidates.h"

namespace norn::kernels {
namespace {

using namespace test;

constexpr DataType kTypes[] = {DataType::Uint8, DataType::Int8};

TEST(PanelsInt8, WindowsAndGroups) {
  struct Case {
    Shape x, w, out;
    std::int64_t group;
    Shape strides, dilations, begin, end;
    bool taken = true;  // by panels
  };
  const std::vector<Case> cases = {
      {{2, 24, 9, 7}, {36, 8, 3, 3}, {2, 36, 6, 7}, 3, {2, 1}, {1, 2}, {3, 1}, {1, 3}},
      {{1, 12, 3, 11}, {210, 4, 1, 3}, {1, 210, 3, 5}, 3, {1, 2}, {1, 1}, {0, 0}, {0, 1}},
      {{3, 8, 5, 4}, {16, 4, 2, 2}, {3, 16, 6, 4}, 2, {1, 1}, {1, 1}, {2, 0}, {0, 1}},
      {{1, 84, 6}, {63, 12, 3}, {1, 63, 9}, 7, {1}, {2}, {0}, {7}},
      {{1, 12, 3, 2, 5}, {24, 4, 2, 1, 3}, {1, 24, 2, 2, 5}, 3, {2, 1, 1}, {1, 1, 1}, {1, 0, 2}, {0, 0, 0}},
      {{1, 8, 7, 7}, {48, 8, 7, 7}, {1, 48, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 4, 3, 3}, {9, 4, 31, 31}, {1, 9, 1, 3}, 1, {1, 1}, {1, 1}, {14, 17}, {14, 13}},
      {{2, 3, 17, 10}, {65, 3, 7, 5}, {2, 65, 7, 5}, 1, {2, 2}, {1, 1}, {0, 4}, {3, 0}},  // copied, with its padding
      {{1, 1, 1, 130}, {33, 1, 1, 16}, {1, 33, 1, 116}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 1}},
      {{1, 6, 9}, {19, 6, 1}, {1, 19, 6}, 1, {2}, {1}, {2}, {0}},
      {{1, 64, 4, 19}, {20, 64, 3, 3}, {1, 20, 4, 19}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},  // whole tiles deep
      {{1, 128, 5, 17}, {66, 64, 3, 3}, {1, 66, 2, 9}, 2, {2, 2}, {1, 1}, {0, 1}, {1, 1}},
      {{1, 192, 5, 4}, {40, 192, 1, 1}, {1, 40, 5, 4}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 72, 5, 6}, {18, 72, 3, 3}, {1, 18, 3, 4}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 6, 5, 9}, {19, 6, 2, 3}, {1, 19, 2, 6}, 1, {1, 1}, {3, 2}, {0, 1}, {0, 0}, false},  // no line of bytes
      {{1, 5, 4, 4}, {40, 1, 3, 3}, {1, 40, 4, 4}, 5, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false},  // several of a channel
      {{1, 12, 4, 4}, {12, 4, 3, 3}, {1, 12, 4, 4}, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false},
  };
  unsigned seed = 1;
  for (const DataType x : kTypes)
    for (const DataType w : kTypes)
      for (const Case& s : cases) {
        ConvInt8Config c{s.x, s.w, s.out, s.group, s.strides, s.dilations, s.begin, s.end, x, w};
        check_conv(c, seed += 10);
        const std::vector<std::uint8_t> weights(static_cast<std::size_t>(element_count(c.w)));
        c.weights = {weights.data()};
        EXPECT_EQ(panel_conv_int8_refuses(c).empty(), s.taken) << panel_conv_int8_refuses(c);
      }
}

TEST(PanelsInt8, MatricesOfOddSizes) {
  unsigned seed = 1;
  for (const DataType x : kTypes)
    for (const DataType w : kTypes)
      for (const auto& [rows, depth, columns] : {std::tuple(1, 4, 1),
                                                 {1, 64, 15},
                                                 {13, 7, 17},
                                                 {97, 12, 65},
                                                 {25, 66, 129},
                                                 {5, 517, 96},
                                                 {193, 4, 31},
                                                 {16, 64, 16},
                                                 {33, 640, 33},
                                                 {49, 1100, 65},
                                                 {130, 128, 80}})
        check_matmul({{rows, depth}, {depth, columns}, {rows, columns}, x, w}, seed += 10);
}

TEST(PanelsInt8, MatricesThatRunsBring) {
  unsigned seed = 1;
  for (const DataType x : kTypes)
    for (const DataType w : kTypes)
      for (const MatMulInt8Config& sizes :
           {MatMulInt8Config{{3, 5, 8}, {3, 8, 70}, {3, 5, 70}},
            MatMulInt8Config{{2, 1, 30, 13}, {3, 13, 9}, {2, 3, 30, 9}},
            MatMulInt8Config{{2, 1, 3, 4}, {1, 2, 4, 33}, {2, 2, 3, 33}},
            MatMulInt8Config{{7, 19}, {2, 19, 16}, {2, 7, 16}}, MatMulInt8Config{{110, 36}, {36, 100}, {110, 100}},
            MatMulInt8Config{{2, 35, 192}, {2, 192, 70}, {2, 35, 70}}}) {
        MatMulInt8Config c = sizes;
        c.x_type = x;
        c.w_type = w;
        check_matmul(c, seed += 10);
        EXPECT_EQ(fed_matmul_int8_refuses(c), "");
      }
}

// Tiles of fewer rows.
TEST(PanelsInt8, LongRowsOfTheOutput) {
  MatMulInt8Config c{{61, 10}, {10, 2999}, {61, 2999}};
  c.x_type = DataType::Uint8;
  c.w_type = DataType::Int8;
  check_matmul(c, 70);
}

// One that no second cache holds beside other things: tiles of more rows. Bytes of a row are equal, so that sums follow
// from those of columns.
TEST(PanelsInt8, ManyRowsOfALargeMatrix) {
  constexpr std::int64_t kRows = 243, kDepth = 1602, kColumns = 1000;
  std::vector<std::uint8_t> x(kRows * kDepth), w(kDepth * kColumns), x_zero = {130}, w_zero = {0};
  const auto byte_of = [](std::int64_t row) { return row * 7 % 256; };
  for (std::int64_t r = 0; r < kRows; ++r)
    std::fill_n(x.begin() + r * kDepth, kDepth, static_cast<std::uint8_t>(byte_of(r)));
  std::vector<std::int64_t> sums(kColumns);
  for (std::int64_t k = 0; k < kDepth; ++k)
    for (std::int64_t j = 0; j < kColumns; ++j) {
      const std::int64_t weight = (k * 5 + j * 3) % 251 - 127;
      w[static_cast<std::size_t>(k * kColumns + j)] = static_cast<std::uint8_t>(weight);
      sums[static_cast<std::size_t>(j)] += weight;
    }
  std::vector<double> want;
  for (std::int64_t r = 0; r < kRows; ++r)
    for (const std::int64_t sum : sums) want.push_back(static_cast<double>((byte_of(r) - x_zero[0]) * sum));
  MatMulInt8Config c{{kRows, kDepth}, {kDepth, kColumns}, {kRows, kColumns}, DataType::Uint8, DataType::Int8, 1};
  c.output.type = DataType::Int32;
  std::vector<void*> operands(Op::Y);
  operands[Op::X] = x.data();
  operands[Op::W] = w.data();
  operands[Op::XZero] = x_zero.data();
  operands[Op::WZero] = w_zero.data();
  for (const bool is_known : {true, false}) {
    c.weights = {is_known ? w.data() : nullptr};
    c.w_zero = {is_known ? w_zero.data() : nullptr};
    EXPECT_GE(offer(matmul_int8_candidates(), c, operands, want, "a large matrix"), 1);
  }
}

// Sums of as many products as leave 32 bits just sufficient, every one of them the largest there is, with biases that
// do not fit beside them.
TEST(PanelsInt8, SumsAtTheEndsOf32Bits) {
  constexpr std::int64_t kDepth = 33024, kColumns = 17, kRows = 3;
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max(),
                         kLeast = std::numeric_limits<std::int32_t>::min();
  const auto least = [](DataType type) { return static_cast<std::uint8_t>(type == DataType::Uint8 ? 0 : 128); };
  const auto most = [](DataType type) { return static_cast<std::uint8_t>(type == DataType::Uint8 ? 255 : 127); };
  for (const DataType xt : kTypes)
    for (const DataType wt : kTypes)
      for (const bool x_high : {false, true})
        for (const bool w_high : {false, true})
          for (const std::int32_t b : {0, kMost, kLeast}) {
            std::vector<std::uint8_t> x(static_cast<std::size_t>(kRows * kDepth), x_high ? most(xt) : least(xt));
            std::vector<std::uint8_t> w(static_cast<std::size_t>(kDepth * kColumns), w_high ? most(wt) : least(wt));
            std::vector<std::uint8_t> x_zero = {x_high ? least(xt) : most(xt)},
                                      w_zero = {w_high ? least(wt) : most(wt)};
            std::vector<std::uint8_t> y_zero = {10};
            std::vector<std::int32_t> bias(kColumns, b);
            std::vector<float> scale = {0x1p-26f};
            const std::int64_t sum = (x_high == w_high ? 1 : -1) * kDepth * 255 * 255;
            for (const bool tame : {false, true})
              for (const bool whole : {false, true}) {
                if (whole && tame) continue;
                MatMulInt8Config c{{kRows, kDepth}, {kDepth, kColumns}, {kRows, kColumns}, xt, wt, 1};
                c.output.type = whole ? DataType::Int32 : DataType::Int8;
                c.output.tame = tame;
                c.weights = {w.data()};
                c.w_zero = {w_zero.data()};
                std::vector<void*> operands(Op::Y);
                operands[Op::X] = x.data();
                operands[Op::W] = w.data();
                operands[Op::XZero] = x_zero.data();
                operands[Op::WZero] = w_zero.data();
                operands[Op::Bias] = bias.data();
                if (!whole) operands[Op::Scale] = scale.data();
                if (!whole) operands[Op::YZero] = y_zero.data();
                const double want = whole ? static_cast<std::int32_t>(static_cast<std::uint64_t>(sum + b))
                                          : std::nearbyint(std::ldexp(static_cast<double>(sum + b), -26)) + 10;
                EXPECT_GE(offer(matmul_int8_candidates(), c, operands,
                                std::vector<double>(static_cast<std::size_t>(kRows * kColumns), want), "at the end"),
                          1);
                if (!whole && !tame) continue;
                // The same as a convolution of one group, and of a second one like it; all columns are alike.
                for (const std::int64_t groups : {1, 2}) {
                  const std::int64_t deep = kDepth / groups, filters = 16;
                  ConvInt8Config v{{1, kDepth, 1, kRows},
                                   {filters, deep, 1, 1},
                                   {1, filters, 1, kRows},
                                   groups,
                                   {1, 1},
                                   {1, 1},
                                   {0, 0},
                                   {0, 0},
                                   xt,
                                   wt,
                                   1};
                  v.weights = c.weights;
                  v.w_zero = c.w_zero;
                  v.output = c.output;
                  const std::int64_t part = sum / groups + b;
                  const double one = whole ? static_cast<std::int32_t>(static_cast<std::uint64_t>(part))
                                           : std::nearbyint(std::ldexp(static_cast<double>(part), -26)) + 10;
                  EXPECT_GE(offer(conv_int8_candidates(), v, operands,
                                  std::vector<double>(static_cast<std::size_t>(kRows * filters), one), "at the end"),
                            1);
                }
              }
          }
}

// Products of two bytes, which some machines add in 16 bits: pairs of weights and of bytes on both sides of where that
// saturates, few among small ones.
TEST(PanelsInt8, FewPairsThatMaySaturate) {
  std::mt19937 random(71);
  constexpr int kX[] = {255, 192, 191, 128, 127, 0}, kW[] = {127, 128, 100, 86, 85, 64, 65};
  for (const DataType xt : kTypes)
    for (const std::int64_t depth : {7, 36, 260, 1030})
      for (const unsigned most_rare : {2u, 30u, 1000u}) {
        // Few are followed by many and these by few.
        const auto rare_at = [&](std::int64_t k) { return k / 200 % 2 == 1 ? 2u : most_rare; };
        constexpr std::int64_t kRows = 13, kColumns = 37;
        std::vector<std::uint8_t> x(static_cast<std::size_t>(kRows * depth));
        std::vector<std::int8_t> w(static_cast<std::size_t>(depth * kColumns));
        for (std::size_t i = 0; i < x.size(); ++i) {
          auto& b = x[i];
          const unsigned rare = rare_at(static_cast<std::int64_t>(i) % depth);
          const int unsigned_byte = random() % rare == 0 ? kX[random() % 6] : static_cast<int>(random() % 90);
          b = static_cast<std::uint8_t>(xt == DataType::Uint8 ? unsigned_byte : unsigned_byte - 128);
        }
        for (std::int64_t j = 0; j < kColumns; ++j)
          for (std::int64_t k = 0; k < depth; ++k) {
            auto* const at = &w[static_cast<std::size_t>(k * kColumns + j)];
            *at = static_cast<std::int8_t>(random() % 61) - 30;
            if (k % 2 == 0 || random() % rare_at(k) != 0) continue;
            const int sign = random() % 2 == 0 ? 1 : -1, a = kW[random() % 7], b = kW[random() % 7];
            at[0] = static_cast<std::int8_t>(std::clamp(sign * a, -128, 127));
            at[-kColumns] = static_cast<std::int8_t>(std::clamp(sign * b, -128, 127));
          }
        std::vector<double> want;
        for (std::int64_t i = 0; i < kRows; ++i)
          for (std::int64_t j = 0; j < kColumns; ++j) {
            std::int64_t sum = 0;
            for (std::int64_t k = 0; k < depth; ++k) {
              const std::uint8_t byte = x[static_cast<std::size_t>(i * depth + k)];
              sum += (xt == DataType::Uint8 ? byte : static_cast<std::int8_t>(byte)) *
                     w[static_cast<std::size_t>(k * kColumns + j)];
            }
            want.push_back(static_cast<double>(sum));
          }
        std::vector<void*> operands(Op::Y);
        operands[Op::X] = x.data();
        operands[Op::W] = w.data();
        MatMulInt8Config c{{kRows, depth}, {depth, kColumns}, {kRows, kColumns}, xt, DataType::Int8};
        c.output.type = DataType::Int32;
        for (const bool constant : {true, false}) {
          c.weights = constant ? Contents{w.data()} : Contents{};
          EXPECT_GE(offer(matmul_int8_candidates(), c, operands, want, to_string(c.x)), 1);
        }
      }
}

// Rows are read in quads of bytes: behind the last ones is a page that cannot be read.
TEST(PanelsInt8, NothingBehindTheLastRowIsRead) {
  const Guarded memory;
  for (const std::int64_t depth : {1, 2, 3, 5})
    for (const std::int64_t rows : {1, 2, 3, 4, 11}) {
      constexpr std::int64_t kColumns = 40;
      auto* const x = memory.last<std::uint8_t>(rows * depth);
      std::vector<std::int8_t> w(static_cast<std::size_t>(depth * kColumns));
      for (std::int64_t i = 0; i < rows * depth; ++i) x[i] = static_cast<std::uint8_t>(201 + i);
      for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::int8_t>(3 * i);
      std::vector<double> want;
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < kColumns; ++j) {
          double sum = 0;
          for (std::int64_t k = 0; k < depth; ++k)
            sum += x[i * depth + k] * w[static_cast<std::size_t>(k * kColumns + j)];
          want.push_back(sum);
        }
      std::vector<void*> operands(Op::Y);
      operands[Op::X] = x;
      operands[Op::W] = w.data();
      MatMulInt8Config c{{rows, depth}, {depth, kColumns}, {rows, kColumns}};
      for (const bool constant : {true, false}) {
        c.weights = constant ? Contents{w.data()} : Contents{};
        EXPECT_GE(offer(matmul_int8_candidates(), c, operands, want, to_string(c.x)), 1);
      }
    }
}

// Scales so far apart that what is rounded last passes 32 bits.
TEST(PanelsInt8, AddedToAnotherTensorFarBeyondTheResult) {
  for (const float last : {0x1p-3f, 0x1p-30f})
    for (const DataType type : kTypes) {
      MatMulInt8Config c{{2, 4}, {4, 20}, {2, 20}};
      SumOutput& o = c.output;
      o.type = o.other = o.last = type;
      o.tame = true;
      o.middle_scale = o.other_scale = 1 / last;
      std::vector<std::uint8_t> x(8, 1), other(40, 3), zero = {0};
      std::vector<std::int8_t> w(80);
      for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::int8_t>(i % 20) - 10;
      std::vector<float> one = {1.0f}, small = {last};
      c.weights = {w.data()};
      std::vector<void*> operands(Op::Y);
      operands[Op::X] = x.data();
      operands[Op::W] = w.data();
      std::vector<float> scale = {0.25f};
      operands[Op::Scale] = scale.data();
      operands[Op::YZero] = operands[Op::MiddleZero] = operands[Op::OtherZero] = operands[Op::LastZero] = zero.data();
      operands[Op::Other] = other.data();
      operands[Op::OtherScale] = operands[Op::MiddleScale] = one.data();
      operands[Op::LastScale] = small.data();
      std::vector<double> want;
      for (std::int64_t i = 0; i < 40; ++i) {
        const double first = Finished::saturate(type, static_cast<double>(i % 20 - 10));
        want.push_back(Finished::saturate(type, std::nearbyint((first + 3) / static_cast<double>(last))));
      }
      EXPECT_GE(offer(matmul_int8_candidates(), c, operands, want, "far beyond"), 1);
    }
}

}  // namespace
}  // namespace norn::kernels
