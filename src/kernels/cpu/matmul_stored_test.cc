// Products with stored matrices against their formula in double: every type, with scales and zero points in all the
// ways that they lie, for few rows and many.
#include "kernels/cpu/matmul_stored.h"

#include <array>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/stored.h"

namespace norn::kernels {
namespace {

using namespace test;

struct StoredProduct {
  DataType type;
  std::int64_t m, k, n, block, columns;
  bool transposed;
  enum Zeros { None, Alike, Each } zeros = None;
  DataType scale_type = DataType::Float;
  // What follows: C as a row, then a bound and a sum; a sum and a bound; the row as a step, a sum and a bound; C as a
  // matrix and a row that multiplies.
  enum Finish { BoundFirst, SumFirst, RowAsStep, FullC } finish = BoundFirst;
};

bool is_integer(DataType type) {
  const DataType types[] = {DataType::Int2,  DataType::Uint2, DataType::Int4,
                            DataType::Uint4, DataType::Int8,  DataType::Uint8};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

std::pair<int, int> value_range(DataType type) {
  switch (type) {
    case DataType::Int2: return {-2, 1};
    case DataType::Uint2: return {0, 3};
    case DataType::Int4: return {-8, 7};
    case DataType::Uint4: return {0, 15};
    case DataType::Int8: return {-128, 127};
    default: return {0, 255};
  }
}

double stored_number(DataType type, const std::vector<std::uint8_t>& bytes, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  if (is_integer(type)) return value_range(type).first < 0 ? static_cast<std::int8_t>(bytes[at]) : bytes[at];
  if (!is_half(type)) return base::small_float_to_float(type, bytes[at]);
  std::uint16_t bits;
  std::memcpy(&bits, bytes.data() + 2 * at, 2);
  return type == DataType::Float16 ? base::half_to_float(bits) : base::bfloat16_to_float(bits);
}

std::vector<std::uint8_t> random_elements(DataType type, std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_half(type)) {
      const float v = std::uniform_real_distribution<float>(-2, 2)(engine);
      const std::uint16_t bits = type == DataType::Float16 ? base::float_to_half(v) : base::float_to_bfloat16(v);
      bytes.push_back(static_cast<std::uint8_t>(bits));
      bytes.push_back(static_cast<std::uint8_t>(bits >> 8));
    } else if (is_integer(type)) {
      const auto [low, high] = value_range(type);
      bytes.push_back(static_cast<std::uint8_t>(std::uniform_int_distribution<int>(low, high)(engine)));
    } else {
      const float v = std::uniform_real_distribution<float>(-3, 3)(engine);
      bytes.push_back(static_cast<std::uint8_t>(base::float_to_small_float(type, v)));
    }
  }
  return bytes;
}

void check_product(const StoredProduct& t) {
  const std::string what = std::string(data_type_name(t.type)) + " m" + std::to_string(t.m) + " k" +
                           std::to_string(t.k) + " n" + std::to_string(t.n) + " block " + std::to_string(t.block) +
                           (t.transposed ? " transposed" : "") + " zeros " + std::to_string(t.zeros);
  StoredMatMulConfig c;
  c.type = t.type;
  c.product.a = {t.m, t.k};
  c.product.b = {t.k, t.n};
  c.product.out = {t.m, t.n};
  c.row = t.transposed ? 1 : t.n;
  c.column = t.transposed ? t.k : 1;
  const auto stored = random_elements(t.type, t.k * t.n, 1);
  c.product.b_constant = {stored.data()};
  std::vector<float> scales;
  std::vector<std::uint16_t> half_scales;
  std::vector<std::uint8_t> zeros;
  const std::int64_t blocks = t.block == 0 ? 0 : (t.k + t.block - 1) / t.block;
  const std::int64_t groups = (t.n + t.columns - 1) / t.columns;
  if (t.block > 0) {
    c.scale_type = t.scale_type;
    c.block = t.block;
    c.columns = t.columns;
    c.scale_row = t.transposed ? 1 : groups;
    c.scale_column = t.transposed ? blocks : 1;
    scales = random_floats(blocks * groups, 2, 0.01f, 0.1f);
    c.scales = scales.data();
    if (t.scale_type == DataType::Float16) {
      for (float& s : scales) {
        half_scales.push_back(base::float_to_half(s));
        s = base::half_to_float(half_scales.back());
      }
      c.scales = half_scales.data();
    }
    if (t.zeros != StoredProduct::None) {
      zeros = random_elements(t.type, blocks * groups, 3);
      if (t.zeros == StoredProduct::Alike) std::fill(zeros.begin(), zeros.end(), std::uint8_t{1});
      c.zeros = zeros.data();
    }
  }
  const bool full = t.finish == StoredProduct::FullC;
  c.product.has_c = t.finish != StoredProduct::RowAsStep;
  if (c.product.has_c) c.product.c = full ? Shape{t.m, t.n} : Shape{t.n};
  switch (t.finish) {
    case StoredProduct::BoundFirst: c.product.post = {{ElementOp::Relu}, {ElementOp::Add, 0, 0, 0}}; break;
    case StoredProduct::SumFirst: c.product.post = {{ElementOp::Add, 0, 0, 0}, {ElementOp::Clip, -5, 7}}; break;
    case StoredProduct::RowAsStep:
      c.product.post = {{ElementOp::Add, 0, 0, 1}, {ElementOp::Add, 0, 0, 0}, {ElementOp::Relu}};
      break;
    case StoredProduct::FullC: c.product.post = {{ElementOp::Mul, 0, 0, 1}}; break;
  }
  c.product.extra = {{{t.m, t.n}}, {{t.n}}};
  auto a = random_floats(t.m * t.k, 4), bias = random_floats(full ? t.m * t.n : t.n, 5);
  PostOperands posts(c.product.extra, 6);

  std::vector<double> want;
  for (std::int64_t i = 0; i < t.m; ++i) {
    for (std::int64_t j = 0; j < t.n; ++j) {
      double sum = c.product.has_c ? bias[static_cast<std::size_t>(full ? i * t.n + j : j)] : 0.0;
      for (std::int64_t k = 0; k < t.k; ++k) {
        double v = stored_number(t.type, stored, k * c.row + j * c.column);
        if (t.block > 0) {
          const std::int64_t at = k / t.block * c.scale_row + j / t.columns * c.scale_column;
          if (c.zeros) v -= stored_number(t.type, zeros, at);
          v *= static_cast<double>(scales[static_cast<std::size_t>(at)]);
        }
        sum += v * static_cast<double>(a[static_cast<std::size_t>(i * t.k + k)]);
      }
      want.push_back(sum);
    }
  }
  apply_steps(want, c.product.out, c.product.post, c.product.extra, posts.contents);

  for (const auto& candidate : stored_matmul_candidates()) {
    ASSERT_EQ(candidate.refuses(c), "") << what;
    Constants constants;
    std::vector<void*> operands = {a.data(), nullptr, bias.data()};
    const OutputBefore before = posts.append_to(operands, -1, want.size());
    const auto got = run_at_widths(*candidate.make(c, constants), operands, before.contents, before.aliased);
    expect_close(got, want, 1e-6 * static_cast<double>(t.k) + 1e-5, what);
  }
}

TEST(StoredMatMul, EveryTypeAndRow) {
  for (const DataType type :
       {DataType::Int2, DataType::Uint2, DataType::Int4, DataType::Uint4, DataType::Int8, DataType::Uint8,
        DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2, DataType::Float8E5M2FNUZ,
        DataType::Float6E2M3, DataType::Float6E3M2, DataType::Float4E2M1, DataType::Float16, DataType::BFloat16}) {
    for (const std::int64_t m : {1, 2, 3, 4, 5, 9, 23})
      for (const bool transposed : {false, true}) check_product({type, m, 75, 70, 16, 1, transposed});
    check_product({type, 1, 640, 33, 0, 1, false});
    check_product({type, 12, 640, 33, 0, 1, true});
  }
}

TEST(StoredMatMul, ScalesAndZeroPoints) {
  for (const DataType type :
       {DataType::Int2, DataType::Uint2, DataType::Int4, DataType::Uint4, DataType::Int8, DataType::Uint8})
    for (const auto zeros : {StoredProduct::None, StoredProduct::Alike, StoredProduct::Each})
      for (const std::int64_t m : {1, 2, 4, 7, 130}) {
        check_product({type, m, 64, 64, 32, 1, true, zeros});
        check_product({type, m, 1100, 40, 1100, 1, false, zeros});   // a scale for each column
        check_product({type, m, 1100, 17, 5000, 40, false, zeros});  // one for all
        check_product({type, m, 45, 19, 11, 3, true, zeros, DataType::Float16});
        check_product({type, m, 1500, 16, 700, 1, false, zeros});  // blocks longer than what is widened at a time
      }
  check_product({DataType::Int4, 1, 1, 1, 1, 1, false});
  check_product({DataType::Int4, 9, 3, 1, 3, 1, true, StoredProduct::Each});
}

// Several tiles of rows, stretches of the depth, and panels of which the last is not whole.
TEST(StoredMatMul, FinishesManyRows) {
  for (const auto finish :
       {StoredProduct::BoundFirst, StoredProduct::SumFirst, StoredProduct::RowAsStep, StoredProduct::FullC})
    for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{17, 40, 64}, {203, 30, 200}, {395, 1030, 83}})
      for (const DataType type : {DataType::Float16, DataType::Int4})
        check_product(
            {type, m, k, n, type == DataType::Int4 ? 32 : 0, 1, false, StoredProduct::None, DataType::Float, finish});
}

// Rows rounded to 8 bits: each stretch of 32 elements is at most half a step off, a step being 1/127 of its largest.
TEST(StoredMatMul, RowsInEightBitsStayWithinTheirBound) {
  if (stored_int8_table() == nullptr) GTEST_SKIP() << "no fast products of 8-bit integers";
  struct Case {
    DataType type;
    std::int64_t m, k, n, block;  // block 0: one scale for each column
    bool zeros;
  };
  const Case cases[] = {{DataType::Uint4, 1, 64, 64, 32, true},  {DataType::Int4, 3, 64, 70, 32, false},
                        {DataType::Int4, 6, 100, 33, 64, true},  {DataType::Uint4, 130, 256, 200, 128, true},
                        {DataType::Uint2, 5, 75, 65, 32, false}, {DataType::Int2, 4, 45, 10, 0, true},
                        {DataType::Int4, 2, 13, 5, 0, false}};
  for (const Case& t : cases) {
    const std::string what =
        std::string(data_type_name(t.type)) + " m" + std::to_string(t.m) + " k" + std::to_string(t.k);
    StoredMatMulConfig c;
    c.type = t.type;
    c.product.a = {t.m, t.k};
    c.product.b = {t.k, t.n};
    c.product.out = {t.m, t.n};
    c.row = t.n;
    c.column = 1;
    const auto stored = random_elements(t.type, t.k * t.n, 1);
    c.product.b_constant = {stored.data()};
    c.scale_type = DataType::Float;
    c.block = t.block == 0 ? t.k : t.block;
    c.scale_row = t.n;
    c.scale_column = 1;
    const std::int64_t blocks = (t.k + c.block - 1) / c.block;
    const auto scales = random_floats(blocks * t.n, 2, 0.01f, 0.1f);
    const auto zeros = random_elements(t.type, blocks * t.n, 3);
    c.scales = scales.data();
    if (t.zeros) c.zeros = zeros.data();
    auto a = random_floats(t.m * t.k, 4);
    a[0] = 30;  // far from the others of its stretch

    for (const auto& candidate : stored_matmul_int8_candidates()) {
      ASSERT_EQ(candidate.refuses(c), "") << what;
      Constants constants;
      const auto got = run_at_widths(*candidate.make(c, constants), {a.data(), nullptr, nullptr},
                                     std::vector<float>(static_cast<std::size_t>(t.m * t.n)));
      bool rounded = false;
      for (std::int64_t i = 0; i < t.m; ++i) {
        for (std::int64_t j = 0; j < t.n; ++j) {
          double want = 0, bound = 1e-5;
          for (std::int64_t first = 0; first < t.k; first += kStretch) {
            double most = 0, weights = 0;
            for (std::int64_t k = first; k < std::min(t.k, first + kStretch); ++k) {
              const std::int64_t at = k / c.block * t.n + j;
              double w = stored_number(t.type, stored, k * t.n + j);
              if (t.zeros) w -= stored_number(t.type, zeros, at);
              w *= static_cast<double>(scales[static_cast<std::size_t>(at)]);
              const double x = a[static_cast<std::size_t>(i * t.k + k)];
              want += w * x;
              most = std::max(most, std::abs(x));
              weights += std::abs(w);
            }
            bound += most / 254 * 1.0001 * weights;
          }
          const double error = std::abs(got[static_cast<std::size_t>(i * t.n + j)] - want);
          EXPECT_LE(error, bound) << what << " at " << i << ", " << j;
          rounded = rounded || error > 1e-4;
        }
      }
      EXPECT_TRUE(rounded) << what << ": nothing was rounded to 8 bits";
    }
    // What is not finite makes its row NaN, and no other.
    a[1] = std::numeric_limits<float>::infinity();
    Constants constants;
    const auto got = run_at_widths(*stored_matmul_int8_candidates()[0].make(c, constants), {a.data(), nullptr, nullptr},
                                   std::vector<float>(static_cast<std::size_t>(t.m * t.n)));
    EXPECT_TRUE(std::isnan(got[0])) << what;
    if (t.m > 1) {
      EXPECT_TRUE(std::isfinite(got[static_cast<std::size_t>(t.n)])) << what;
    }
  }
  StoredMatMulConfig bytes;
  const std::vector<std::uint8_t> stored(64, 1);
  bytes.type = DataType::Int8;
  bytes.product.a = {1, 8};
  bytes.product.b = {8, 8};
  bytes.product.out = {1, 8};
  bytes.product.b_constant = {stored.data()};
  bytes.row = 8;
  bytes.column = 1;
  EXPECT_NE(stored_matmul_int8_candidates()[0].refuses(bytes), "");
}

// One and two rows may be multiplied in fixed point: what is small beside the largest element of its stretch counts,
// and so does what is far from 1.
TEST(StoredMatMul, ElementsOfAllMagnitudesCount) {
  for (const DataType type : {DataType::Uint4, DataType::Int4, DataType::Uint2})
    for (const std::int64_t m : {1, 2, 3})
      for (const bool zeros_differ : {false, true})
        for (const auto& [unit, large] : {std::pair(1.0f, 100.0f),
                                          {0x1p-80f, 30.0f},
                                          {0x1p80f, 4096.0f},
                                          {0x1p-96f, 7.0f},
                                          {0x1p96f, 1.0f},
                                          {1.0f, 1e10f},
                                          {1.0f, 1e6f}}) {
          const std::int64_t k = 100, n = 70, blocks = 4;
          StoredMatMulConfig c;
          c.type = type;
          c.product.a = {m, k};
          c.product.b = {k, n};
          c.product.out = {m, n};
          c.row = n;
          c.column = 1;
          auto stored = random_elements(type, k * n, 7);
          auto zeros = random_elements(type, blocks * n, 8);
          if (!zeros_differ) std::fill(zeros.begin(), zeros.end(), std::uint8_t{1});
          // Where the largest element of A meets nothing but zeros.
          for (std::int64_t j = 0; j < n; ++j)
            stored[static_cast<std::size_t>(7 * n + j)] = zeros[static_cast<std::size_t>(j)];
          auto scales = random_floats(blocks * n, 9, 1e-13f, 2e-13f);
          c.product.b_constant = {stored.data()};
          c.scale_type = DataType::Float;
          c.scales = scales.data();
          c.zeros = zeros.data();
          c.block = 32;
          c.scale_row = n;
          c.scale_column = 1;
          auto a = random_floats(m * k, 10);
          for (std::int64_t i = 0; i < m; ++i) a[static_cast<std::size_t>(i * k + 7)] = large;
          for (float& v : a) v *= unit;
          Constants constants;
          const auto got =
              run_at_widths(*stored_matmul_candidates()[0].make(c, constants), {a.data(), nullptr, nullptr},
                            std::vector<float>(static_cast<std::size_t>(m * n)));
          for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
              double want = 0, bound = 0;
              for (std::int64_t l = 0; l < k; ++l) {
                const std::int64_t at = l / 32 * n + j;
                const double w = (stored_number(type, stored, l * n + j) - stored_number(type, zeros, at)) *
                                 static_cast<double>(scales[static_cast<std::size_t>(at)]);
                const double term = w * static_cast<double>(a[static_cast<std::size_t>(i * k + l)]);
                want += term;
                bound += std::abs(term);
              }
              ASSERT_NEAR(got[static_cast<std::size_t>(i * n + j)], want, 1e-6 * bound + 1e-44)
                  << data_type_name(type) << " m" << m << " unit " << unit << " beside " << large << " at " << i << ", "
                  << j;
            }
        }
}

TEST(StoredMatMul, InfinitiesStay) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t m : {1, 20}) {
    StoredMatMulConfig c;
    c.type = DataType::Uint4;
    c.product.a = {m, 8};
    c.product.b = {8, 2};
    c.product.out = {m, 2};
    c.row = 2;
    c.column = 1;
    std::vector<std::uint8_t> stored(16, 3), zeros = {7, 2};
    std::vector<float> scales = {0.5f, 0.5f}, a(static_cast<std::size_t>(m * 8), inf);
    c.product.b_constant = {stored.data()};
    c.scale_type = DataType::Float;
    c.scales = scales.data();
    c.zeros = zeros.data();
    c.block = 8;
    c.scale_column = 1;
    Constants constants;
    const auto got = run_at_widths(*stored_matmul_candidates()[0].make(c, constants), {a.data(), nullptr, nullptr},
                                   std::vector<float>(static_cast<std::size_t>(m * 2)));
    EXPECT_EQ(got[0], -inf);
    EXPECT_EQ(got[1], inf);
  }
}

TEST(StoredMatMul, Refuses) {
  const std::vector<std::uint8_t> stored(64, 1), zeros(8, 1);
  const std::vector<float> scales(64, 1.0f);
  StoredMatMulConfig good;
  good.type = DataType::Int4;
  good.product.a = {1, 8};
  good.product.b = {8, 8};
  good.product.out = {1, 8};
  good.product.b_constant = {stored.data()};
  good.row = 8;
  good.column = 1;
  good.scale_type = DataType::Float;
  good.scales = scales.data();
  good.block = 8;
  good.scale_column = 1;
  const auto refuses = [](const StoredMatMulConfig& c) { return stored_matmul_candidates()[0].refuses(c); };
  ASSERT_EQ(refuses(good), "");
  const auto with = [&](auto change) {
    StoredMatMulConfig c = good;
    change(c);
    return refuses(c);
  };
  EXPECT_NE(with([](auto& c) { c.type = DataType::Int32; }), "");
  EXPECT_NE(with([](auto& c) { c.block = 4; }), "");
  EXPECT_NE(with([](auto& c) { c.block = 0; }), "");
  EXPECT_NE(with([](auto& c) { c.scale_type = DataType::Double; }), "");
  EXPECT_NE(with([](auto& c) { c.row = std::numeric_limits<std::int64_t>::max(); }), "");
  EXPECT_NE(with([](auto& c) { c.product.b_constant = {}; }), "");
  EXPECT_NE(with([](auto& c) { c.product.b = {2, 8, 8}; }), "");
  EXPECT_NE(with([](auto& c) { c.product.a = {1, 0}; }), "");
  EXPECT_NE(with([&](auto& c) {
              c.type = DataType::Float8E5M2;
              c.zeros = zeros.data();
            }),
            "");
}

}  // namespace
}  // namespace norn::kernels
