#include "kernels/cpu/int8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/matmul_candidates.h"

namespace norn::kernels {
inline namespace int8_cc {
namespace {

using Op = Int8Operand;

bool is_8_bit(DataType type) { return type == DataType::Uint8 || type == DataType::Int8; }
std::int32_t least_of(DataType type) { return type == DataType::Uint8 ? 0 : -128; }
std::int32_t most_of(DataType type) { return type == DataType::Uint8 ? 255 : 127; }

// Sums of products with weights of int8, and of differences, are within 32 bits up to this depth.
constexpr std::int64_t kDeepest = std::numeric_limits<std::int32_t>::max() / (255 * 255);

std::string output_refusal(const SumOutput& o, std::int64_t channels, std::int64_t depth) {
  if (o.type != DataType::Int32 && o.type != DataType::Float && !is_8_bit(o.type))
    return "gives int32, float, uint8 and int8, not " + std::string(data_type_name(o.type));
  if (o.scales != 1 && o.scales != channels) return "scales that are not one for each channel";
  if (o.shifts != 0 && o.shifts != 1 && o.shifts != channels) return "a shift that is not one for each channel";
  if (o.shifts != 0 && o.type != DataType::Float) return "a shift of what is not float";
  if (is_8_bit(o.type) && depth > kDeepest) return "sums that may pass 32 bits";
  if (o.other == DataType::Undefined) return "";
  return is_8_bit(o.type) && is_8_bit(o.other) && is_8_bit(o.last) ? "" : "another tensor that is not of 8 bits";
}

std::string type_refusal(DataType x, DataType w) { return is_8_bit(x) && is_8_bit(w) ? "" : "takes uint8 and int8"; }

float number(const void* address) { return address == nullptr ? 1.0f : *static_cast<const float*>(address); }

}  // namespace
}  // namespace int8_cc

ConvConfig sizes_of(const ConvInt8Config& c) {
  ConvConfig sizes;
  sizes.x = c.x;
  sizes.w = c.w;
  sizes.out = c.out;
  sizes.group = c.group;
  sizes.strides = c.strides;
  sizes.dilations = c.dilations;
  sizes.pads_begin = c.pads_begin;
  sizes.pads_end = c.pads_end;
  return sizes;
}

MatMulConfig sizes_of(const MatMulInt8Config& c) {
  MatMulConfig sizes;
  sizes.a = c.x;
  sizes.b = c.w;
  sizes.out = c.out;
  return sizes;
}

std::string conv_int8_config_refusal(const ConvInt8Config& c) {
  if (std::string why = type_refusal(c.x_type, c.w_type); !why.empty()) return why;
  if (std::string why = conv_config_refusal(sizes_of(c)); !why.empty()) return why;
  if (c.x.size() > 5) return "more than three spatial dimensions";
  Shape padded = c.x;
  for (std::size_t d = 2; d < c.x.size(); ++d) padded[d] += c.pads_begin[d - 2] + c.pads_end[d - 2];
  if (std::string why = extent_refusal({&padded}); !why.empty()) return why;
  if (c.w_zeros != 0 && c.w_zeros != 1 && c.w_zeros != c.w[0]) return "zero points that are not one for each filter";
  if (!c.blocks.empty()) {
    if (c.blocks.size() + 2 != c.x.size()) return "blocks of another rank";
    if (c.group != 1 || c.output.other != DataType::Undefined) return "blocks of groups, or with another tensor";
    std::int64_t rest = c.w[0];
    for (const std::int64_t size : c.blocks) {
      if (size < 1 || rest % size != 0) return "blocks that do not divide the filters";
      rest /= size;
    }
  }
  return output_refusal(c.output, c.w[0], element_count(c.w) / c.w[0]);
}

std::string plain_conv_int8_refusal(const ConvInt8Config& c) {
  return c.blocks.empty() ? conv_int8_config_refusal(c) : "stores channels as channels, not as places";
}

std::string matmul_int8_config_refusal(const MatMulInt8Config& c) {
  if (std::string why = type_refusal(c.x_type, c.w_type); !why.empty()) return why;
  if (std::string why = matmul_config_refusal(sizes_of(c)); !why.empty()) return why;
  if (c.w_zeros != 0 && c.w_zeros != 1 && c.w_zeros != c.out.back())
    return "zero points that are not one for each column";
  return output_refusal(c.output, c.out.back(), c.x.back());
}

inline namespace int8_cc {
namespace {

// Calls f(first, end, zero point) for the stretches of elements that share one.
template <class F>
void for_each_stretch(const Centering& c, std::int64_t elements, F&& f) {
  if (c.zeros <= 1) return f(std::int64_t{0}, elements, c.zero_of(0));
  std::int64_t which = 0;
  for (std::int64_t i = 0; i < elements; i += c.each) {
    f(i, std::min(elements, i + c.each), zero_point(c.zero, c.type, which));
    if (++which == c.zeros) which = 0;
  }
}

// Whether every element of the type fits into int8 without this zero point, or these.
template <class T>
bool any_fits(std::int32_t zero) {
  return zero == (std::is_signed_v<T> ? 0 : 128);
}
template <class T>
bool any_fit(const T*, const Centering& c) {
  std::int64_t known = 0;
  while (known < c.zeros && any_fits<T>(zero_point(c.zero, c.type, known))) ++known;
  return c.zeros == 0 ? any_fits<T>(0) : known == c.zeros;
}
bool fit(std::int32_t low, std::int32_t high, std::int32_t zero) { return low - zero >= -128 && high - zero <= 127; }

// Elements in rows, each of which has one of every zero point.
template <class T>
bool columns_fit(const T* weights, const Centering& c, std::int64_t elements) {
  constexpr std::int64_t kTogether = 4096;  // columns
  std::array<T, kTogether> low, high;
  for (std::int64_t first = 0; first < std::min(c.zeros, elements); first += kTogether) {
    const std::int64_t columns = std::min({kTogether, c.zeros - first, elements - first});
    std::copy_n(weights + first, columns, low.begin());
    std::copy_n(weights + first, columns, high.begin());
    for (std::int64_t at = first + c.zeros; at < elements; at += c.zeros) {
      const T* const row = weights + at;
      const std::int64_t there = std::min(columns, elements - at);
      for (std::int64_t i = 0; i < there; ++i) {
        const auto column = static_cast<std::size_t>(i);
        low[column] = std::min(low[column], row[i]);
        high[column] = std::max(high[column], row[i]);
      }
    }
    for (std::int64_t i = 0; i < columns; ++i)
      if (!fit(low[static_cast<std::size_t>(i)], high[static_cast<std::size_t>(i)], c.zero_of(first + i))) return false;
  }
  return true;
}

template <class T>
bool all_fit(const T* weights, const Centering& c, std::int64_t elements) {
  if (c.zeros > 1 && c.each == 1) return columns_fit(weights, c, elements);
  bool all = true;
  for_each_stretch(c, elements, [&](std::int64_t first, std::int64_t end, std::int32_t zero) {
    if (first == end || any_fits<T>(zero)) return;
    T low = weights[first], high = low;
    for (std::int64_t i = first; i < end; ++i) {
      low = std::min(low, weights[i]);
      high = std::max(high, weights[i]);
    }
    all = all && fit(low, high, zero);
  });
  return all;
}

template <class T>
void center(const T* weights, const Centering& c, std::int64_t elements, std::int8_t* to) {
  for_each_stretch(c, elements, [&](std::int64_t first, std::int64_t end, std::int32_t zero) {
    for (std::int64_t i = first; i < end; ++i) to[i] = static_cast<std::int8_t>(weights[i] - zero);
  });
}

}  // namespace
}  // namespace int8_cc

bool Centering::fits(const Contents& weights, std::int64_t elements) const {
  const auto ask = [&](const auto* w) {
    if (any_fit(w, *this)) return true;
    // Constants of other sizes may begin at the same place.
    const std::string question =
        "fit into int8: " + std::to_string(elements) + ' ' + std::to_string(zeros) + ' ' + std::to_string(each) + key();
    return weights.are(question, [&] { return all_fit(w, *this, elements); });
  };
  return type == DataType::Uint8 ? ask(static_cast<const std::uint8_t*>(weights.data))
                                 : ask(static_cast<const std::int8_t*>(weights.data));
}

bool Centering::fits_any() const {
  if (zeros > 0 && zero == nullptr) return false;
  return type == DataType::Uint8 ? any_fit(static_cast<const std::uint8_t*>(nullptr), *this)
                                 : any_fit(static_cast<const std::int8_t*>(nullptr), *this);
}

void Centering::to_int8(const void* weights, std::int64_t elements, std::int8_t* to) const {
  if (type == DataType::Uint8)
    center(static_cast<const std::uint8_t*>(weights), *this, elements, to);
  else
    center(static_cast<const std::int8_t*>(weights), *this, elements, to);
}

std::string Centering::key() const {
  std::string text = type == DataType::Uint8 ? "u8" : "s8";
  for (std::int64_t i = 0; i < zeros; ++i) text += static_cast<char>(zero_point(zero, type, i));
  return text;
}

SumFinisher::SumFinisher(const SumOutput& output, std::int64_t channels, std::int64_t depth)
    : o_(output), channels_(channels), depth_(depth), size_(element_size(output.output())) {
  const Int8Table& table = int8_table();
  const auto is_signed = [](DataType type) { return type == DataType::Int8 ? 1 : 0; };
  if (o_.other != DataType::Undefined)
    finish_ = table.with_other[is_signed(o_.other)][is_signed(o_.last)];
  else if (o_.type == DataType::Int32)
    finish_ = table.to_int32;
  else if (o_.type == DataType::Float)
    finish_ = table.to_float;
  else
    finish_ = o_.type == DataType::Uint8 ? table.to_uint8 : table.to_int8;
}

std::size_t SumFinisher::scratch_bytes() const {
  return static_cast<std::size_t>(channels_) * (sizeof(std::int32_t) + 2 * sizeof(float));
}

// A quotient of finite scales stays finite, so that a sum of 0 gives the zero point.
static float narrowed(double scale) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::isfinite(scale) ? std::clamp(scale, -kMost, kMost) : scale);
}

SumFinisher::Run SumFinisher::prepare(void* const* operands, std::int32_t x_zero, const std::int32_t* weight_sums,
                                      void* scratch) const {
  Run run;
  run.operands = operands;
  run.base = static_cast<std::int32_t*>(scratch);
  run.scale = reinterpret_cast<float*>(run.base + channels_);
  const auto* bias = static_cast<const std::int32_t*>(operands[Op::Bias]);
  const std::int64_t room = std::numeric_limits<std::int32_t>::max() - std::min(depth_, kDeepest) * 255 * 255;
  for (std::int64_t c = 0; c < channels_; ++c) {
    std::int64_t base = bias == nullptr ? 0 : bias[c];
    if (x_zero != 0) base -= std::int64_t{x_zero} * weight_sums[c];
    if (base > room || base < -room) run.wide = is_8_bit(o_.type);
    run.base[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(base));
  }
  Finish& f = run.finish;
  f.base = run.base;
  f.scale = run.scale;
  if (o_.type == DataType::Int32) {
    std::fill_n(run.scale, channels_, 1.0f);
    return run;
  }
  const double one = number(operands[Op::Scale]), divisor = number(operands[Op::YScale]);
  const auto* scales = static_cast<const float*>(operands[Op::WScale]);
  const double unit = one / divisor;
  const auto scale_of = [&](std::int64_t c) {
    return scales == nullptr ? unit : unit * scales[o_.scales == 1 ? 0 : c];
  };
  for (std::int64_t c = 0; c < channels_; ++c) run.scale[c] = narrowed(scale_of(c));
  if (o_.tame) {
    run.scaled_base = run.scale + channels_;
    for (std::int64_t c = 0; c < channels_; ++c) {
      double base = bias == nullptr ? 0 : bias[c];
      if (x_zero != 0) base -= static_cast<double>(x_zero) * weight_sums[c];
      run.scaled_base[c] = static_cast<float>(base * scale_of(c));
    }
  }
  if (const auto* shift = static_cast<const float*>(operands[Op::Shift])) {
    f.shift = shift;
    if (o_.shifts == 1) {
      float* shifts = run.scale + channels_;
      std::fill_n(shifts, channels_, *shift);
      f.shift = shifts;
    }
  }
  if (o_.type == DataType::Float) return run;
  f.zero = zero_point(operands[Op::YZero], o_.type);
  f.low = static_cast<std::int32_t>(std::clamp<std::int64_t>(o_.low, least_of(o_.type), most_of(o_.type)));
  f.high = static_cast<std::int32_t>(std::clamp<std::int64_t>(o_.high, least_of(o_.type), most_of(o_.type)));
  if (o_.other == DataType::Undefined) return run;
  const double last = number(operands[Op::LastScale]);
  f.middle = narrowed(number(operands[Op::MiddleScale]) / last);
  f.other = narrowed(number(operands[Op::OtherScale]) / last);
  f.middle_zero = zero_point(operands[Op::MiddleZero], o_.type);
  f.other_zero = zero_point(operands[Op::OtherZero], o_.other);
  f.last_zero = zero_point(operands[Op::LastZero], o_.last);
  f.relu = o_.relu;
  return run;
}

bool SumFinisher::keep(Kept& kept, void* const* operands, std::int32_t x_zero, const std::int32_t* weight_sums) const {
  std::size_t at = 0;
  bool is_same = kept.buffer != nullptr;
  kept.constants.resize(Op::Y);
  for (std::size_t i = 0; i < Op::Y; ++i) {
    if (i == Op::X || i == Op::Other) continue;
    is_same = is_same && kept.constants[at] == operands[i];
    kept.constants[at++] = operands[i];
  }
  if (!is_same) {
    if (!kept.buffer) kept.buffer = aligned_buffer(scratch_bytes());
    kept.run = prepare(operands, x_zero, weight_sums, kept.buffer.get());
  }
  kept.run.operands = operands;
  return !is_same;
}

void SumFinisher::rows(const Run& run, const std::int32_t* sums, std::int64_t sums_row, std::int64_t rows,
                       std::int64_t channel, std::int64_t n, std::int64_t y_at, std::int64_t y_row,
                       const std::int32_t* base) const {
  Finish f = run.finish;
  f.base = base == nullptr ? run.base + channel : base;
  f.scale += channel;
  if (f.shift) f.shift += channel;
  auto* y = static_cast<char*>(run.operands[Op::Y]) + static_cast<std::size_t>(y_at) * size_;
  const auto* other = static_cast<const char*>(run.operands[Op::Other]);
  if (other) other += y_at;
  if (!run.wide) return finish_(f, {sums, other, y, sums_row, y_row, rows, n});
  for (std::int64_t r = 0; r < rows; ++r)
    wide_row(run, f, sums + r * sums_row, channel, n, y + static_cast<std::size_t>(r * y_row) * size_,
             other == nullptr ? nullptr : other + r * y_row);
}

// With bases that do not fit beside the sums: the base is taken out of the sum again, and both are added in 64 bits.
void SumFinisher::wide_row(const Run& run, const Finish& f, const std::int32_t* sums, std::int64_t channel,
                           std::int64_t n, void* y, const void* other) const {
  const auto* bias = static_cast<const std::int32_t*>(run.operands[Op::Bias]);
  for (std::int64_t j = 0; j < n; ++j) {
    // Without the bias, sum and base are within 32 bits.
    const auto own = bias == nullptr ? 0u : static_cast<std::uint32_t>(bias[channel + j]);
    const auto small =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) + static_cast<std::uint32_t>(f.base[j]) - own);
    const double sum = static_cast<double>(small) + static_cast<double>(static_cast<std::int32_t>(own));
    // What the row makes of the clipped quotient, from a sum of nothing: the base is the quotient itself.
    double quotient = std::nearbyint(sum * f.scale[j]);
    if (!(quotient >= f.low - f.zero)) quotient = f.low - f.zero;
    if (quotient > f.high - f.zero) quotient = f.high - f.zero;
    Finish single = f;
    const auto whole = static_cast<std::int32_t>(quotient);
    const float one = 1.0f;
    const std::int32_t nothing = 0;
    single.base = &whole;
    single.scale = &one;
    single.shift = nullptr;
    finish_(single, {&nothing, other == nullptr ? nullptr : static_cast<const char*>(other) + j,
                     static_cast<char*>(y) + static_cast<std::size_t>(j) * size_, 1, 1, 1, 1});
  }
}

inline namespace int8_cc {
namespace {

constexpr Candidate<ConvInt8Config> kConv[] = {
    {"depthwise", depthwise_int8_refuses, make_depthwise_int8},
    {"pixels side by side", beside_conv_int8_refuses, make_beside_conv_int8, true},
    {"panels", panel_conv_int8_refuses, make_panel_conv_int8, true},
    {"floats", float_conv_int8_refuses, make_float_conv_int8, true},
#ifdef NORN_ONEDNN
    {"onednn", onednn_conv_int8_refuses, make_onednn_conv_int8, true},
#endif
    {"simd", plain_conv_int8_refusal, make_simd_conv_int8},
};

constexpr Candidate<MatMulInt8Config> kMatMul[] = {
    {"panels", panel_matmul_int8_refuses, make_panel_matmul_int8, true},
    {"few rows", few_rows_matmul_int8_refuses, make_few_rows_matmul_int8},
    {"packed panels", fed_matmul_int8_refuses, make_fed_matmul_int8},
#ifdef NORN_ONEDNN
    {"onednn", onednn_matmul_int8_refuses, make_onednn_matmul_int8, true},
#endif
    {"simd", matmul_int8_config_refusal, make_simd_matmul_int8},
};

}  // namespace
}  // namespace int8_cc

std::span<const Candidate<ConvInt8Config>> conv_int8_candidates() { return kConv; }
std::span<const Candidate<MatMulInt8Config>> matmul_int8_candidates() { return kMatMul; }

}  // namespace norn::kernels
