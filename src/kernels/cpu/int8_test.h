// Products of 8-bit integers against sums in 64 bits, with every kind of zero point, scale and output, and the largest
// numbers, which reveal saturating sums.
#pragma once
#include "kernels/cpu/int8.h"

#include <cmath>
#include <random>
#include <utility>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels::test {

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
inline std::vector<double> run_kernel(const Kernel& kernel, const std::vector<void*>& operands, DataType type,
                                      std::size_t size) {
  if (type == DataType::Int32) return run_as<std::int32_t>(kernel, operands, size);
  if (type == DataType::Float) return run_as<float>(kernel, operands, size);
  if (type == DataType::Uint8) return run_as<std::uint8_t>(kernel, operands, size);
  return run_as<std::int8_t>(kernel, operands, size);
}

inline std::vector<SumOutput> outputs(std::int64_t channels) {
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

// Where channel m of pixel o lies: channels last, and with blocks in its place.
inline std::int64_t element_of(const ConvInt8Config& c, std::int64_t image, std::int64_t m, const std::int64_t* o) {
  const auto out = spatial(c.out, 2, 1), blocks = spatial(c.blocks, 0, 1);
  const std::int64_t channels = c.out[1] / (blocks[0] * blocks[1] * blocks[2]), place = m / channels;
  const std::int64_t in_block[] = {place / blocks[2] / blocks[1], place / blocks[2] % blocks[1], place % blocks[2]};
  std::int64_t at = image;
  for (std::size_t d = 0; d < 3; ++d) at = at * out[d] * blocks[d] + o[d] * blocks[d] + in_block[d];
  return at * channels + m % channels;
}

// Of every candidate that takes it.
inline void check_conv(ConvInt8Config c, unsigned seed) {
  const std::int64_t filters = c.w[0], each = element_count(c.w) / filters, of_group = filters / c.group;
  Bytes x(c.x_type, element_count(c.x), seed), w(c.w_type, element_count(c.w), seed + 1), x_zero(c.x_type, 1, seed + 2);
  for (const int zeros : {0, 1, 2}) {
    for (const auto& [constant, constant_zeros] :
         {std::pair(true, true), {false, false}, {false, true}, {true, false}}) {
      if ((zeros == 0 || !c.blocks.empty()) && constant != constant_zeros) continue;
      c.w_zeros = zeros == 2 ? filters : zeros;
      Bytes w_zero(c.w_type, c.w_zeros, seed + 3);
      // Half of uint8, so that all weights fit into int8; else anything.
      if (zeros == 1 && c.w_type == DataType::Uint8) w_zero.raw[0] = 128;
      if (zeros == 1 && c.w_type == DataType::Int8) w_zero.raw[0] = 0;
      x_zero.raw[0] = zeros == 0 ? 0 : 77;
      c.pads_are_zero = zeros == 0;
      c.weights = constant ? Contents{w.data()} : Contents{};
      c.w_zero = constant_zeros ? Contents{w_zero.data()} : Contents{};
      const auto in = spatial(c.x, 2, 1), out = spatial(c.out, 2, 1), window = spatial(c.w, 2, 1),
                 strides = spatial(c.strides, 0, 1), dilations = spatial(c.dilations, 0, 1),
                 pads = spatial(c.pads_begin, 0, 0);
      const std::int64_t pixels = out[0] * out[1] * out[2], in_pixels = in[0] * in[1] * in[2];
      for (const SumOutput& output : outputs(filters)) {
        if (!c.blocks.empty() && output.other != DataType::Undefined) continue;
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
              const std::int64_t element = element_of(c, n, m, o);
              want[static_cast<std::size_t>(element)] = f.of(sum, m, element);
            }
        std::vector<void*> operands(Op::Y);
        operands[Op::X] = x.data();
        operands[Op::W] = w.data();
        operands[Op::XZero] = x_zero.data();
        operands[Op::WZero] = w_zero.data();
        f.put(operands);
        const std::string what = to_string(c.x) + to_string(c.w) + to_string(c.blocks) + " zeros " +
                                 std::to_string(zeros) + " gives " + std::string(data_type_name(output.output()));
        EXPECT_GE(offer(conv_int8_candidates(), c, operands, want, what), 1) << what;
      }
    }
  }
}

inline void check_matmul(MatMulInt8Config c, unsigned seed) {
  const std::int64_t n = c.out.back(), m = c.out[c.out.size() - 2], k = c.x.back(),
                     batches = element_count(c.out) / m / n;
  // Which of a factor's matrices a product reads.
  const auto matrix_of = [&](const Shape& dims, std::int64_t batch) {
    std::int64_t matrix = 0, step = 1;
    for (std::size_t back = 3; back <= c.out.size(); ++back) {
      const std::int64_t size = c.out[c.out.size() - back], at = batch % size;
      batch /= size;
      if (back > dims.size() || dims[dims.size() - back] == 1) continue;
      matrix += at * step;
      step *= size;
    }
    return matrix;
  };
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
                sum += (x.at((matrix_of(c.x, b) * m + i) * k + l) - x_zero.at(0)) *
                       (w.at((matrix_of(c.w, b) * k + l) * n + j) - zero);
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

}  // namespace norn::kernels::test
