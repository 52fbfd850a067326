// Products of 8-bit integers against sums in 64 bits, with every kind of zero point, scale and output, and the largest
// numbers, which tell saturating sums.
#include "kernels/cpu/int8.h"

#include <cmath>
#include <limits>
#include <random>

#include "kernels/cpu/byte_table.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/quantized_chain.h"

namespace norn::kernels {
namespace {

using namespace test;
using Op = Int8Operand;

struct Bytes {
  DataType type = DataType::Uint8;
  std::vector<std::uint8_t> raw;

  Bytes() = default;
  // Every third one is the least or the largest there is.
  Bytes(DataType of, std::int64_t n, unsigned seed) : type(of), raw(static_cast<std::size_t>(n)) {
    std::mt19937 engine(seed);
    for (auto& b : raw) {
      b = static_cast<std::uint8_t>(engine());
      if (engine() % 3 == 0)
        b = engine() % 2 ? (type == DataType::Uint8 ? 255 : 127) : (type == DataType::Uint8 ? 0 : 128);
    }
  }
  std::int64_t at(std::int64_t i) const {
    const std::uint8_t b = raw[static_cast<std::size_t>(i)];
    return type == DataType::Uint8 ? b : static_cast<std::int8_t>(b);
  }
  void* data() { return raw.empty() ? nullptr : raw.data(); }
};

// What belongs to the output, and what it should be.
struct Finished {
  SumOutput o;
  std::int64_t channels;
  std::vector<std::int32_t> bias;
  std::vector<float> scale, w_scale, y_scale, shift;
  Bytes y_zero, other, middle_zero, other_zero, last_zero;
  std::vector<float> middle_scale = {0.25f}, other_scale = {0.125f}, last_scale = {0.5f};

  Finished(const SumOutput& output, std::int64_t of, std::int64_t elements, unsigned seed, bool with_bias)
      : o(output), channels(of) {
    std::mt19937 engine(seed);
    if (with_bias)
      for (std::int64_t c = 0; c < channels; ++c) bias.push_back(static_cast<std::int32_t>(engine() % 20001) - 10000);
    if (o.type == DataType::Int32) return;
    scale = {0.5f};
    y_scale = {4.0f};
    for (std::int64_t c = 0; c < o.scales; ++c)
      w_scale.push_back(std::ldexp(1.0f, -static_cast<int>(engine() % 7) - 2));
    for (std::int64_t c = 0; c < o.shifts; ++c) shift.push_back(static_cast<float>(engine() % 9) - 4);
    if (o.type == DataType::Float) {
      y_scale.clear();
      return;
    }
    y_zero = Bytes(o.type, 1, seed + 1);
    y_zero.raw[0] = o.tame && !o.odd ? 34 : 33;
    if (o.tame && o.is_bounded()) o.zero = static_cast<std::int32_t>(y_zero.at(0));
    if (o.other == DataType::Undefined) return;
    other = Bytes(o.other, elements, seed + 2);
    middle_zero = y_zero;
    other_zero = Bytes(o.other, 1, seed + 3);
    last_zero = Bytes(o.last, 1, seed + 4);
    last_zero.raw[0] = o.tame && !o.odd ? 6 : 5;
    if (!o.tame) return;
    o.zero = o.middle_zero = static_cast<std::int32_t>(y_zero.at(0));
    o.other_zero = static_cast<std::int32_t>(other_zero.at(0));
    o.middle_scale = 0.25f / 0.5f;
    o.other_scale = 0.125f / 0.5f;
  }

  void put(std::vector<void*>& operands) {
    operands[Op::Bias] = bias.empty() ? nullptr : bias.data();
    operands[Op::Scale] = scale.empty() ? nullptr : scale.data();
    operands[Op::WScale] = w_scale.empty() ? nullptr : w_scale.data();
    operands[Op::YScale] = y_scale.empty() ? nullptr : y_scale.data();
    operands[Op::YZero] = y_zero.data();
    operands[Op::Shift] = shift.empty() ? nullptr : shift.data();
    if (other.raw.empty()) return;
    operands[Op::Other] = other.data();
    operands[Op::OtherScale] = other_scale.data();
    operands[Op::OtherZero] = other_zero.data();
    operands[Op::MiddleScale] = middle_scale.data();
    operands[Op::MiddleZero] = middle_zero.data();
    operands[Op::LastScale] = last_scale.data();
    operands[Op::LastZero] = last_zero.data();
  }

  static double saturate(DataType type, double v) {
    return type == DataType::Uint8 ? std::min(255.0, std::max(0.0, v)) : std::min(127.0, std::max(-128.0, v));
  }
  double of(std::int64_t sum, std::int64_t channel, std::int64_t element) const {
    const auto c = static_cast<std::size_t>(channel);
    if (!bias.empty()) sum += bias[c];
    if (o.type == DataType::Int32)
      return static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint64_t>(sum)));
    const double by = 0.5 * w_scale[o.scales == 1 ? 0 : c], real = static_cast<double>(sum) * by;
    // Sums are rounded to f32 there.
    if (o.type == DataType::Float)
      return static_cast<float>(sum) * static_cast<float>(by) + (o.shifts == 0 ? 0.0f : shift[o.shifts == 1 ? 0 : c]);
    double y = saturate(o.type, std::nearbyint(real / 4) + static_cast<double>(y_zero.at(0)));
    y = std::min(static_cast<double>(o.high), std::max(static_cast<double>(o.low), y));
    if (other.raw.empty()) return y;
    double v = (y - static_cast<double>(middle_zero.at(0))) * 0.25 +
               static_cast<double>(other.at(element) - other_zero.at(0)) * 0.125;
    if (o.relu) v = std::max(v, 0.0);
    return saturate(o.last, std::nearbyint(v / 0.5) + static_cast<double>(last_zero.at(0)));
  }
};

template <class T>
std::vector<double> run_as(const Kernel& kernel, std::vector<void*> operands, std::size_t size) {
  operands.resize(Op::Y);
  const auto got = run_at_widths(kernel, operands, std::vector<T>(size));
  return {got.begin(), got.end()};
}
std::vector<double> run_kernel(const Kernel& kernel, const std::vector<void*>& operands, DataType type,
                               std::size_t size) {
  if (type == DataType::Int32) return run_as<std::int32_t>(kernel, operands, size);
  if (type == DataType::Float) return run_as<float>(kernel, operands, size);
  if (type == DataType::Uint8) return run_as<std::uint8_t>(kernel, operands, size);
  return run_as<std::int8_t>(kernel, operands, size);
}

std::vector<SumOutput> outputs(std::int64_t channels) {
  SumOutput all, real, list, bytes, clipped, with, tame;
  real.type = list.type = DataType::Float;
  list.scales = channels;
  list.shifts = channels;
  bytes.type = DataType::Uint8;
  bytes.scales = channels;
  clipped.type = DataType::Int8;
  clipped.low = -20;
  clipped.high = 90;
  with = bytes;
  with.other = DataType::Int8;
  with.last = DataType::Uint8;
  with.relu = true;
  SumOutput plain = clipped;
  plain.other = DataType::Uint8;
  plain.last = DataType::Int8;
  tame = bytes;
  tame.type = DataType::Int8;
  tame.tame = true;
  std::vector<SumOutput> made = {all, real, list, bytes, clipped, with, plain, tame};
  for (SumOutput o : {bytes, clipped, with, plain})
    for (const bool odd : {false, true}) {
      o.tame = true;
      o.odd = odd;
      made.push_back(o);
    }
  return made;
}

template <class Config>
int offer(std::span<const Candidate<Config>> candidates, const Config& config, const std::vector<void*>& operands,
          const std::vector<double>& want, const std::string& what) {
  int ran = 0;
  for (const auto& candidate : candidates) {
    if (!candidate.refuses(config).empty()) continue;
    Constants constants;
    const auto kernel = candidate.make(config, constants);
    const auto got = run_kernel(*kernel, operands, config.output.output(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(got[i], want[i]) << candidate.name << ' ' << what << " at " << i;
      if (got[i] != want[i]) return ran;
    }
    ++ran;
  }
  return ran;
}

void check_conv(ConvInt8Config c, unsigned seed) {
  const std::int64_t filters = c.w[0], each = element_count(c.w) / filters, of_group = filters / c.group;
  Bytes x(c.x_type, element_count(c.x), seed), w(c.w_type, element_count(c.w), seed + 1), x_zero(c.x_type, 1, seed + 2);
  for (const int zeros : {0, 1, 2}) {
    for (const bool constant : {true, false}) {
      c.w_zeros = zeros == 2 ? filters : zeros;
      Bytes w_zero(c.w_type, c.w_zeros, seed + 3);
      // Half of uint8, so that all weights fit into int8; else anything.
      if (zeros == 1 && c.w_type == DataType::Uint8) w_zero.raw[0] = 128;
      if (zeros == 1 && c.w_type == DataType::Int8) w_zero.raw[0] = 0;
      x_zero.raw[0] = zeros == 0 ? 0 : 77;
      c.pads_are_zero = zeros == 0;
      c.weights = constant ? Contents{w.data()} : Contents{};
      c.w_zero = constant ? Contents{w_zero.data()} : Contents{};
      const auto in = spatial(c.x, 2, 1), out = spatial(c.out, 2, 1), window = spatial(c.w, 2, 1),
                 strides = spatial(c.strides, 0, 1), dilations = spatial(c.dilations, 0, 1),
                 pads = spatial(c.pads_begin, 0, 0);
      const std::int64_t pixels = out[0] * out[1] * out[2], in_pixels = in[0] * in[1] * in[2];
      for (const SumOutput& output : outputs(filters)) {
        Finished f(output, filters, element_count(c.out), seed + 4, zeros != 1);
        c.output = f.o;
        std::vector<double> want(static_cast<std::size_t>(element_count(c.out)));
        for (std::int64_t n = 0; n < c.x[0]; ++n)
          for (std::int64_t m = 0; m < filters; ++m)
            for (std::int64_t p = 0; p < pixels; ++p) {
              const std::int64_t o[3] = {p / out[2] / out[1], p / out[2] % out[1], p % out[2]};
              std::int64_t sum = 0;
              for (std::int64_t k = 0; k < each; ++k) {
                const std::int64_t taps = window[0] * window[1] * window[2], tap = k % taps;
                const std::int64_t t[3] = {tap / window[2] / window[1], tap / window[2] % window[1], tap % window[2]};
                std::int64_t at = 0;
                bool inside = true;
                for (std::size_t d = 0; d < 3; ++d) {
                  const std::int64_t i = o[d] * strides[d] + t[d] * dilations[d] - pads[d];
                  inside = inside && i >= 0 && i < in[d];
                  at = at * in[d] + i;
                }
                if (!inside) continue;
                const std::int64_t channel = m / of_group * c.w[1] + k / taps;
                const std::int64_t zero = zeros == 0 ? 0 : w_zero.at(zeros == 1 ? 0 : m);
                sum += (x.at((n * in_pixels + at) * c.x[1] + channel) - x_zero.at(0)) * (w.at(m * each + k) - zero);
              }
              const std::int64_t element = (n * pixels + p) * filters + m;
              want[static_cast<std::size_t>(element)] = f.of(sum, m, element);
            }
        std::vector<void*> operands(Op::Y);
        operands[Op::X] = x.data();
        operands[Op::W] = w.data();
        operands[Op::XZero] = x_zero.data();
        operands[Op::WZero] = w_zero.data();
        f.put(operands);
        const std::string what = to_string(c.x) + to_string(c.w) + " zeros " + std::to_string(zeros) + " gives " +
                                 std::string(data_type_name(output.output()));
        EXPECT_GE(offer(conv_int8_candidates(), c, operands, want, what), 1) << what;
      }
    }
  }
}

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
      make({1, 64, 9, 9}, {70, 64, 1, 1}, {1, 70, 9, 9}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0});
      make({1, 6, 8, 9}, {4, 3, 3, 2}, {1, 4, 5, 9}, 2, {2, 1}, {1, 2}, {2, 2}, {2, 0});
      make({1, 24, 11, 8}, {24, 1, 3, 3}, {1, 24, 6, 4}, 24, {2, 2}, {1, 1}, {1, 1}, {1, 1});
      make({2, 7, 20}, {9, 7, 4}, {2, 9, 9}, 1, {2}, {1}, {1}, {0});
      make({1, 70, 9, 6}, {70, 1, 5, 5}, {1, 70, 9, 6}, 70, {1, 1}, {1, 1}, {2, 2}, {2, 2});
      make({2, 5, 4, 71}, {5, 1, 3, 3}, {2, 5, 4, 71}, 5, {1, 1}, {1, 1}, {1, 1}, {1, 1});
      make({1, 130, 6, 7}, {130, 1, 2, 3}, {1, 130, 5, 4}, 130, {1, 2}, {1, 2}, {0, 3}, {0, 1});
      make({2, 33, 30}, {33, 1, 4}, {2, 33, 14}, 33, {2}, {1}, {0}, {0});
      make({1, 3, 4, 5, 6}, {5, 3, 2, 3, 3}, {1, 5, 4, 5, 6}, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1});
    }
}

void check_matmul(MatMulInt8Config c, unsigned seed) {
  const std::int64_t n = c.out.back(), m = c.out[c.out.size() - 2], k = c.x.back(),
                     batches = element_count(c.out) / m / n;
  const bool batched = element_count(c.w) > k * n;
  Bytes x(c.x_type, element_count(c.x), seed), w(c.w_type, element_count(c.w), seed + 1), x_zero(c.x_type, 1, seed + 2);
  for (const int zeros : {0, 1, 2}) {
    for (const bool constant : {true, false}) {
      c.w_zeros = zeros == 2 ? n : zeros;
      Bytes w_zero(c.w_type, c.w_zeros, seed + 3);
      if (zeros == 1 && c.w_type == DataType::Uint8) w_zero.raw[0] = 128;
      x_zero.raw[0] = zeros == 0 ? 0 : 131;
      c.weights = constant ? Contents{w.data()} : Contents{};
      c.w_zero = constant ? Contents{w_zero.data()} : Contents{};
      for (const SumOutput& output : outputs(n)) {
        Finished f(output, n, element_count(c.out), seed + 4, zeros != 1);
        c.output = f.o;
        std::vector<double> want;
        for (std::int64_t b = 0; b < batches; ++b)
          for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
              std::int64_t sum = 0;
              const std::int64_t zero = zeros == 0 ? 0 : w_zero.at(zeros == 1 ? 0 : j);
              for (std::int64_t l = 0; l < k; ++l)
                sum += (x.at((b * m + i) * k + l) - x_zero.at(0)) * (w.at(((batched ? b * k : 0) + l) * n + j) - zero);
              want.push_back(f.of(sum, j, (b * m + i) * n + j));
            }
        std::vector<void*> operands(Op::Y);
        operands[Op::X] = x.data();
        operands[Op::W] = w.data();
        operands[Op::XZero] = x_zero.data();
        operands[Op::WZero] = w_zero.data();
        f.put(operands);
        const std::string what = to_string(c.x) + to_string(c.w) + " zeros " + std::to_string(zeros) +
                                 (constant ? " constant" : "") + " gives " +
                                 std::string(data_type_name(output.output()));
        EXPECT_GE(offer(matmul_int8_candidates(), c, operands, want, what), 1) << what;
      }
    }
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
    for (const std::int64_t channels : {1, 70, 200}) {
      const Int8MeanConfig c{{2, channels, 5, 3}, type};
      Bytes x(type, element_count(c.x), 7), zero(type, 1, 8);
      float scale = 0.3f;
      ASSERT_EQ(int8_mean_candidates()[0].refuses(c), "");
      Constants constants;
      const auto got = run_at_widths(*int8_mean_candidates()[0].make(c, constants), {x.data(), &scale, zero.data()},
                                     std::vector<float>(static_cast<std::size_t>(2 * channels)));
      for (std::int64_t n = 0; n < 2; ++n)
        for (std::int64_t m = 0; m < channels; ++m) {
          double sum = 0;
          for (std::int64_t p = 0; p < 15; ++p)
            sum += static_cast<double>(x.at((n * 15 + p) * channels + m) - zero.at(0)) * static_cast<double>(scale);
          EXPECT_NEAR(got[static_cast<std::size_t>(n * channels + m)], sum / 15, 1e-5);
        }
    }
  EXPECT_NE(int8_mean_candidates()[0].refuses({{1, 2, 3000, 3000}, DataType::Uint8}), "");
  EXPECT_NE(int8_mean_candidates()[0].refuses({{1, 2, 0, 3}, DataType::Uint8}), "");
}

TEST(Int8, Tables) {
  for (const std::int64_t n : {0, 1, 7, 64, 130, 100003}) {
    ByteTableConfig c;
    c.elements = n;
    for (std::size_t i = 0; i < 256; ++i) c.table[i] = static_cast<std::uint8_t>(i * 7 + 3);
    Bytes x(DataType::Uint8, n, 5);
    ASSERT_EQ(byte_table_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got = run_at_widths(*byte_table_candidates()[0].make(c, constants), {x.data()},
                                   std::vector<std::uint8_t>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<std::uint8_t>(x.raw[i] * 7 + 3)) << i;
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

}  // namespace
}  // namespace norn::kernels
