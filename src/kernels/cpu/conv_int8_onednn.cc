// Convolution of 8-bit integers by oneDNN's one-thread primitives. They give sums in 32 bits for a slice of the output
// that stays in the second cache, rows of an image or a block of its channels, and SumFinisher makes of them what is
// asked for. Where all scales are known, oneDNN quantizes them itself, and adds another tensor. It adds the zero point
// before it rounds, so that the sums have to be rounded before where the zero point is odd.
//
// Traps: oneDNN pads with 0. Where x's zero point is another number, a slice's rows are copied into memory that is
// padded with it. Weights are packed without their zero points and have to fit into int8 then.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace conv_int8_onednn_cc {
namespace {

using Op = Int8Operand;
using dnnl_type = dnnl::memory::data_type;

constexpr std::int64_t kSliceSums = 128 * 1024;  // of a slice, at most if it can be cut
constexpr std::int64_t kFewPixels = 256;         // of an image that is rather cut by channels
constexpr std::int64_t kRowPixels = 24;          // fewest output pixels of a slice by rows
constexpr std::int64_t kChannelBlock = 64;       // fewest output channels of a slice by channels

dnnl_type type_of(DataType type) { return type == DataType::Uint8 ? dnnl_type::u8 : dnnl_type::s8; }

dnnl::memory::desc channels_last(const dnnl_dims& dims, dnnl_type type) {
  using tag = dnnl::memory::format_tag;
  const tag tags[] = {tag::nwc, tag::nhwc, tag::ndhwc};
  return {dims, type, tags[dims.size() - 3]};
}

// Whole images, or one image's rows [row, row + rows) of the output, and channels.
struct SliceShape {
  std::int64_t images, in_rows, rows, pad_top, pad_bottom, channels;
  auto key() const { return std::tie(images, in_rows, rows, pad_top, pad_bottom, channels); }
  bool operator<(const SliceShape& o) const { return key() < o.key(); }
};

struct Slice {
  std::size_t part;
  std::int64_t image, row, channel;
};

dnnl_dims int8_weight_dims(const ConvInt8Config& c, std::int64_t channels) {
  dnnl_dims dims;
  if (c.group > 1)
    dims = {c.group, channels / c.group};
  else
    dims = {channels};
  dims.insert(dims.end(), c.w.begin() + 1, c.w.end());
  return dims;
}

dnnl::memory::desc plain_weights(const dnnl_dims& dims) {
  dnnl_dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  return {dims, dnnl_type::s8, strides};
}

// What oneDNN does with sums that are scaled and have their bias, but no zero point. `other`: another tensor.
struct QuantizingPosts {
  dnnl::post_ops ops;
  int other_at = -1;  // among them
};
QuantizingPosts quantizing_posts(const SumOutput& o, const dnnl::memory::desc& other) {
  using dnnl::algorithm;
  QuantizingPosts posts;
  const auto round = [&] { posts.ops.append_eltwise(algorithm::eltwise_round, 0, 0); };
  const bool with_other = o.other != DataType::Undefined;
  if (with_other || o.odd) round();
  if (with_other || o.is_bounded()) {
    const bool is_signed = o.type == DataType::Int8;
    const std::int64_t low = std::clamp<std::int64_t>(o.low, is_signed ? -128 : 0, is_signed ? 127 : 255);
    const std::int64_t high = std::clamp<std::int64_t>(o.high, low, is_signed ? 127 : 255);
    posts.ops.append_eltwise(algorithm::eltwise_clip_v2, static_cast<float>(low - o.zero),
                             static_cast<float>(high - o.zero));
  }
  if (!with_other) return posts;
  // In units of the other tensor, whose elements are added as they are.
  const double unit = static_cast<double>(o.middle_scale) / o.other_scale;
  posts.ops.append_eltwise(algorithm::eltwise_linear, static_cast<float>(unit),
                           static_cast<float>((o.zero - o.middle_zero) * unit - o.other_zero));
  posts.other_at = posts.ops.len();
  posts.ops.append_binary(algorithm::binary_add, other);
  posts.ops.append_eltwise(algorithm::eltwise_linear, o.other_scale, 0);
  if (o.relu) posts.ops.append_eltwise(algorithm::eltwise_relu, 0, 0);
  if (o.odd) round();
  return posts;
}

// `quantized`: by oneDNN, with a bias and scales of f32 for each channel.
dnnl::convolution_forward::primitive_desc describe_int8_slice(const ConvInt8Config& c, const SliceShape& s,
                                                              bool quantized) {
  dnnl_dims dilations(c.dilations.begin(), c.dilations.end()), begin(c.pads_begin.begin(), c.pads_begin.end()),
      end(c.pads_end.begin(), c.pads_end.end()), strides(c.strides.begin(), c.strides.end());
  for (auto& d : dilations) --d;
  dnnl_dims in(c.x.begin(), c.x.end()), out(c.out.begin(), c.out.end());
  in[0] = out[0] = s.images;
  in[2] = s.in_rows;
  out[1] = s.channels;
  out[2] = s.rows;
  begin[0] = s.pad_top;
  end[0] = s.pad_bottom;
  if (!c.pads_are_zero) {  // the copy has them
    in[2] += s.pad_top + s.pad_bottom;
    for (std::size_t d = 1; d < begin.size(); ++d) in[d + 2] += begin[d] + end[d];
    std::fill(begin.begin(), begin.end(), 0);
    std::fill(end.begin(), end.end(), 0);
  }
  const dnnl::memory::desc w(int8_weight_dims(c, s.channels), dnnl_type::s8, dnnl::memory::format_tag::any);
  const auto x = channels_last(in, type_of(c.x_type));
  const auto y = channels_last(out, quantized ? type_of(c.output.output()) : dnnl_type::s32);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto how = dnnl::algorithm::convolution_direct;
  auto attr = attributes(quantized ? quantizing_posts(c.output, channels_last(out, type_of(c.output.other))).ops
                                   : dnnl::post_ops());
  Making making;
  if (!quantized) return {cpu_engine(), kind, how, x, w, y, strides, dilations, begin, end, attr};
  attr.set_scales_mask(DNNL_ARG_WEIGHTS, c.group > 1 ? 3 : 1);
  attr.set_zero_points_mask(DNNL_ARG_DST, 0);
  return {cpu_engine(), kind, how, x, w, dense_desc({s.channels}), y, strides, dilations, begin, end, attr};
}

SliceShape whole(const ConvInt8Config& c, std::int64_t images) {
  return {images, c.x[2], c.out[2], c.pads_begin[0], c.pads_end[0], c.out[1]};
}

// Whether oneDNN quantizes the sums. Not those of tiles (AMX): it takes longer than SumFinisher does, and its
// convolutions by one pixel are wrong there, from the 33rd filter on, for 39, 42, 45 or 48 pixels and 80, 96, 128 or
// 160 channels.
bool is_quantized(const ConvInt8Config& c) {
  if (multiplies_tiles()) return false;
  if (!c.output.tame || c.output.type == DataType::Int32 || c.output.type == DataType::Float) return false;
  // What belongs to the zero points is added to sums that are real numbers already.
  if (!int8_sums_fit_float(element_count(c.w) / c.w[0])) return false;
  try {
    return !is_reference(describe_int8_slice(c, whole(c, 1), true).impl_info_str());
  } catch (const dnnl::error&) {
    return false;
  }
}

class OneDnnConvInt8 final : public Kernel {
 public:
  OneDnnConvInt8(const ConvInt8Config& config, PackedConstants& packed)
      : c_(config),
        centered_{c_.w_type, c_.w_zero.data, c_.w_zeros, element_count(c_.w) / c_.w[0]},
        finisher_(c_.output, c_.out[1], centered_.each) {
    for (std::size_t d = 3; d < c_.x.size(); ++d) out_row_ *= c_.out[d];
    OneThread one;
    quantized_ = is_quantized(c_);
    try {
      cut(packed);
    } catch (const dnnl::error&) {
      parts_.clear();
      slices_.clear();
      index_.clear();
      add_slice(whole(c_, c_.x[0]), {0, 0, 0, 0}, packed);
    }
    const auto slices = static_cast<std::int64_t>(slices_.size());
    tasks_ = std::min(slices, int8_pieces(all_ns(), 32));
    for (const Part& part : parts_) {
      if (!quantized_) sums_bytes_ = std::max(sums_bytes_, align64(part.out.get_size()));
      if (!c_.pads_are_zero) padded_bytes_ = std::max(padded_bytes_, align64(part.x.get_size()));
      own_bytes_ = std::max(own_bytes_, align64(part.scratch.get_size()));
    }
    own_bytes_ += sums_bytes_ + padded_bytes_;
    zero_at_ = align64(finisher_.scratch_bytes());
    finish_bytes_ = zero_at_ + align64(sizeof(std::int32_t));
    sums_ = std::static_pointer_cast<const std::int32_t>(
        packed.get(c_.weights, 0, "int8 conv sums " + to_string(c_.w) + centered_.key(), [&] {
          auto buffer = aligned_buffer(static_cast<std::size_t>(c_.w[0]) * sizeof(std::int32_t));
          sum_weights(static_cast<std::int32_t*>(buffer.get()));
          return buffer;
        }));
  }

  std::size_t scratch_bytes() const override { return finish_bytes_ + own_bytes_ * static_cast<std::size_t>(tasks_); }
  std::size_t bytes() const noexcept override { return (parts_.size() + 1) * kPrimitiveBytes; }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const std::int32_t x_zero = zero_point(operands[Op::XZero], c_.x_type);
    auto state = pool_.take([&] { return make_state(); });
    if (c_.output.tame)
      finisher_.keep(state->kept, operands, x_zero, sums_.get());
    else
      state->kept.run = finisher_.prepare(operands, x_zero, sums_.get(), base);
    const SumFinisher::Run& run = state->kept.run;
    auto* zero = reinterpret_cast<std::int32_t*>(base + zero_at_);
    *zero = c_.output.other == DataType::Undefined ? run.finish.zero : run.finish.last_zero;
    const auto slices = static_cast<std::int64_t>(slices_.size());
    base::parallel_for(tasks_, [&](std::int64_t t) {
      OneThread one;
      char* own = base + finish_bytes_ + static_cast<std::size_t>(t) * own_bytes_;
      std::vector<Execution>& executions = state->executions[static_cast<std::size_t>(t)];
      for (auto [i, last_i] = base::part_of(slices, tasks_, t); i < last_i; ++i)
        run_slice(slices_[static_cast<std::size_t>(i)], executions, run, zero, own);
    });
    pool_.give(std::move(state));
  }

 private:
  struct Part {
    SliceShape shape;
    dnnl::convolution_forward primitive;
    dnnl::memory::desc x, w, out, scratch;
    bool calls_gemm;
    std::shared_ptr<const void> weights;
  };
  struct State {
    std::vector<std::vector<Execution>> executions;  // by task and part
    SumFinisher::Kept kept;
  };

  double all_ns() const {
    const auto elements = static_cast<double>(element_count(c_.out));
    const double products_per_ns = c_.group > 1 ? 60 : 400, element_ns = quantized_ ? 0.04 : 0.2;
    return elements * (static_cast<double>(centered_.each) / products_per_ns + element_ns);
  }

  void cut(PackedConstants& packed) {
    const std::int64_t rows = c_.out[2], pixels = rows * out_row_, channels = c_.out[1];
    const std::int64_t images = c_.x[0];
    const std::int64_t total = int8_pieces(all_ns(), 16);
    const std::int64_t want = (total + images - 1) / images;
    const std::int64_t pieces = quantized_ ? want : std::max(want, (pixels * channels + kSliceSums - 1) / kSliceSums);
    std::int64_t channel_pieces = 1;
    if (c_.group == 1 && pixels <= kFewPixels && !quantized_)
      channel_pieces = std::max<std::int64_t>(1, std::min(pieces, channels / kChannelBlock));
    std::int64_t row_pieces = (pieces + channel_pieces - 1) / channel_pieces;
    row_pieces =
        std::max<std::int64_t>(1, std::min({row_pieces, rows, std::max<std::int64_t>(1, pixels / kRowPixels)}));
    if (!rows_are_regular(row_pieces)) row_pieces = 1;
    if (row_pieces * channel_pieces == 1) {
      // Several small images together.
      const std::int64_t by_size = (pixels * channels * images + kSliceSums - 1) / kSliceSums;
      const std::int64_t count = std::min(images, quantized_ ? total : std::max(total, by_size));
      for (std::int64_t i = 0; i < count; ++i) {
        const auto [first, last] = base::part_of(images, count, i);
        add_slice(whole(c_, last - first), {0, first, 0, 0}, packed);
      }
      return;
    }
    const std::int64_t blocks = (channels + 15) / 16;
    for (std::int64_t n = 0; n < images; ++n)
      for (std::int64_t k = 0; k < channel_pieces; ++k) {
        const std::int64_t m0 = blocks * k / channel_pieces * 16;
        const std::int64_t m1 = std::min(channels, blocks * (k + 1) / channel_pieces * 16);
        for (std::int64_t r = 0; r < row_pieces; ++r) {
          const auto [r0, r1] = base::part_of(rows, row_pieces, r);
          const auto [first, last] = reads(r0, r1);
          const std::int64_t from = std::max<std::int64_t>(first, 0), to = std::min(last, c_.x[2]);
          SliceShape s{1, to - from, r1 - r0, from - first, last - to, m1 - m0};
          if (row_pieces == 1) s = {1, c_.x[2], rows, c_.pads_begin[0], c_.pads_end[0], m1 - m0};
          add_slice(s, {0, n, r0, m0}, packed);
        }
      }
  }

  // Rows of x that output rows [r0, r1) read: first, past the last, before clipping.
  std::pair<std::int64_t, std::int64_t> reads(std::int64_t r0, std::int64_t r1) const {
    const std::int64_t first = r0 * c_.strides[0] - c_.pads_begin[0];
    return {first, (r1 - 1) * c_.strides[0] - c_.pads_begin[0] + (c_.w[2] - 1) * c_.dilations[0] + 1};
  }
  bool rows_are_regular(std::int64_t pieces) const {
    for (std::int64_t i = 0; i < pieces; ++i) {
      const auto [first, last] = reads(c_.out[2] * i / pieces, c_.out[2] * (i + 1) / pieces);
      if (std::min(last, c_.x[2]) <= std::max<std::int64_t>(first, 0)) return false;
    }
    return true;
  }

  void add_slice(const SliceShape& s, Slice slice, PackedConstants& packed) {
    const auto [found, fresh] = index_.try_emplace({s, s.channels == c_.out[1] ? 0 : slice.channel}, parts_.size());
    if (fresh) parts_.push_back(make_part(s, slice.channel, packed));
    slice.part = found->second;
    slices_.push_back(slice);
  }

  Part make_part(const SliceShape& s, std::int64_t channel, PackedConstants& packed) {
    const auto pd = describe_int8_slice(c_, s, quantized_);
    if (is_reference(pd.impl_info_str())) throw dnnl::error(dnnl_unimplemented, "reference");
    // Of slices, implementations may be others than of the whole.
    if (rounds_int8_sums(pd.impl_info_str(), c_.x_type, centered_.each) && s.key() != whole(c_, c_.x[0]).key())
      throw dnnl::error(dnnl_unimplemented, "rounds sums");
    Part part;
    part.shape = s;
    part.calls_gemm = calls_gemm(pd.impl_info_str());
    {
      Making making;
      part.primitive = dnnl::convolution_forward(pd);
    }
    part.x = pd.src_desc();
    part.w = pd.weights_desc();
    part.out = pd.dst_desc();
    part.scratch = pd.scratchpad_desc();
    const auto plain = plain_weights(int8_weight_dims(c_, s.channels));
    const std::int64_t at = channel * centered_.each, elements = s.channels * centered_.each;
    const std::string recipe = "onednn int8 conv " + std::to_string(static_cast<int>(c_.x_type)) + describe(plain) +
                               describe(part.w) + std::to_string(part.w.get_size()) + centered_.key();
    part.weights = packed.get(c_.weights, static_cast<std::size_t>(at), recipe, [&] {
      const void* source = static_cast<const std::int8_t*>(c_.weights.data) + at;
      std::vector<std::int8_t> without;
      if (c_.w_type == DataType::Uint8 || c_.w_zeros > 0) {
        without.resize(static_cast<std::size_t>(elements));
        Centering part_of = centered_;
        if (c_.w_zeros > 1) part_of.zero = static_cast<const std::int8_t*>(centered_.zero) + channel;
        part_of.to_int8(source, elements, without.data());
        source = without.data();
      }
      return repack(source, plain, part.w);
    });
    return part;
  }

  void sum_weights(std::int32_t* sums) const {
    std::vector<std::int8_t> row(static_cast<std::size_t>(centered_.each));
    for (std::int64_t f = 0; f < c_.w[0]; ++f) {
      Centering of = centered_;
      if (c_.w_zeros > 1) of.zero = static_cast<const std::int8_t*>(centered_.zero) + f;
      of.to_int8(static_cast<const std::int8_t*>(c_.weights.data) + f * centered_.each, centered_.each, row.data());
      sums[f] = 0;
      for (const std::int8_t w : row) sums[f] += w;
    }
  }

  std::unique_ptr<State> make_state() const {
    auto state = std::make_unique<State>();
    state->executions.resize(static_cast<std::size_t>(tasks_));
    for (auto& executions : state->executions) {
      for (const Part& part : parts_) {
        Execution& e = executions.emplace_back();
        e.add(DNNL_ARG_SRC, part.x);
        e.add(DNNL_ARG_WEIGHTS, part.w);
        e.add(DNNL_ARG_DST, part.out);
        e.add(DNNL_ARG_SCRATCHPAD, part.scratch);
        if (!quantized_) continue;
        e.add(DNNL_ARG_BIAS, dense_desc({part.shape.channels}));
        e.add(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, dense_desc({part.shape.channels}));
        e.add(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, {{1}, dnnl_type::s32, dnnl_dims{1}});
        if (c_.output.other == DataType::Undefined) continue;
        const auto other = channels_last(part.out.get_dims(), type_of(c_.output.other));
        e.add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(quantizing_posts(c_.output, other).other_at) | DNNL_ARG_SRC_1, other);
      }
    }
    return state;
  }

  void run_slice(const Slice& slice, std::vector<Execution>& executions, const SumFinisher::Run& run,
                 const std::int32_t* zero, char* own) const {
    const Part& part = parts_[slice.part];
    const SliceShape& s = part.shape;
    Execution& e = executions[slice.part];
    const std::int64_t first = slice.row * c_.strides[0] - c_.pads_begin[0] + s.pad_top;
    const auto* x = static_cast<const char*>(run.operands[Op::X]);
    std::int64_t row = c_.x[1];
    for (std::size_t d = 3; d < c_.x.size(); ++d) row *= c_.x[d];
    x += (slice.image * c_.x[2] + first) * row;
    if (!c_.pads_are_zero) {
      char* padded = own + sums_bytes_;
      const std::size_t bytes = part.x.get_size() / static_cast<std::size_t>(s.images);
      for (std::int64_t i = 0; i < s.images; ++i)
        pad(x + i * c_.x[2] * row, s, row, zero_point(run.operands[Op::XZero], c_.x_type),
            padded + static_cast<std::size_t>(i) * bytes, bytes);
      x = padded;
    }
    auto* sums = reinterpret_cast<std::int32_t*>(own);
    e.set(0, x);
    e.set(1, part.weights.get());
    e.set(3, own + sums_bytes_ + padded_bytes_);
    const std::int64_t pixel = (slice.image * c_.out[2] + slice.row) * out_row_;
    if (quantized_) {
      e.set(2, static_cast<const char*>(run.operands[Op::Y]) + pixel * c_.out[1]);
      e.set(4, run.scaled_base);
      e.set(5, run.scale);
      e.set(6, zero);
      if (c_.output.other != DataType::Undefined)
        e.set(7, static_cast<const char*>(run.operands[Op::Other]) + pixel * c_.out[1]);
    } else {
      e.set(2, sums);
    }
    {
      GemmSection section(part.calls_gemm);
      e.run(part.primitive);
    }
    if (quantized_) return;
    finisher_.rows(run, sums, s.channels, s.images * s.rows * out_row_, slice.channel, s.channels,
                   pixel * c_.out[1] + slice.channel, c_.out[1]);
  }

  // The slice's rows with their padding around them.
  void pad(const char* x, const SliceShape& s, std::int64_t row, std::int32_t zero, char* to, std::size_t bytes) const {
    std::memset(to, zero, bytes);
    const std::size_t rank = c_.x.size();
    const std::int64_t channels = c_.x[1], columns = c_.x[rank - 1], before = c_.pads_begin[rank - 3];
    const std::int64_t wide = columns + before + c_.pads_end[rank - 3];
    if (rank == 3) {  // a row is a pixel
      std::memcpy(to + s.pad_top * channels, x, static_cast<std::size_t>(s.in_rows * channels));
      return;
    }
    // Of three dimensions, the one in the middle.
    const std::int64_t lines = rank == 5 ? c_.x[3] : 1, above = rank == 5 ? c_.pads_begin[1] : 0;
    const std::int64_t high = rank == 5 ? lines + above + c_.pads_end[1] : 1;
    for (std::int64_t r = 0; r < s.in_rows; ++r)
      for (std::int64_t l = 0; l < lines; ++l)
        std::memcpy(to + (((r + s.pad_top) * high + l + above) * wide + before) * channels,
                    x + r * row + l * columns * channels, static_cast<std::size_t>(columns * channels));
  }

  ConvInt8Config c_;
  Centering centered_;
  SumFinisher finisher_;
  std::shared_ptr<const std::int32_t> sums_;  // of each filter's weights
  std::vector<Part> parts_;
  std::vector<Slice> slices_;
  std::map<std::pair<SliceShape, std::int64_t>, std::size_t> index_;
  std::int64_t out_row_ = 1, tasks_ = 1;
  bool quantized_ = false;  // by oneDNN
  std::size_t zero_at_ = 0, finish_bytes_ = 0, own_bytes_ = 0, sums_bytes_ = 0, padded_bytes_ = 0;
  base::ObjectPool<State> pool_;
};

}  // namespace
}  // namespace conv_int8_onednn_cc

std::string onednn_conv_int8_refuses(const ConvInt8Config& c) {
  if (std::string why = plain_conv_int8_refusal(c); !why.empty()) return why;
  if (!int8_is_exact()) return "without instructions for dot products of 8-bit integers, oneDNN's sums saturate";
  if (!c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known())) return "the weights are not constant";
  if (std::string why = onednn_conv_size_refusal(sizes_of(c)); !why.empty()) return why;
  const std::int64_t depth = element_count(c.w) / c.w[0], channels = c.w[1], taps = depth / channels;
  // Some of its reorders of filters of one channel leave out the correction that products of int8 by int8 need: those
  // of 8 filters of 8 elements, and in three dimensions those of a multiple of 64 elements.
  if (c.x_type == DataType::Int8 && channels == 1 &&
      ((c.w[0] == 8 && taps == 8) || (c.w.size() == 5 && taps % 64 == 0)))
    return "oneDNN sums these filters wrongly";
  const Centering centered{c.w_type, c.w_zero.data, c.w_zeros, depth};
  if (!centered.fits(c.weights, element_count(c.w))) return "weights less their zero points do not fit into int8";
  OneThread one;
  try {
    const std::string implementation = describe_int8_slice(c, whole(c, 1), false).impl_info_str();
    if (is_reference(implementation)) return "oneDNN has only a reference implementation of it";
    if (rounds_int8_sums(implementation, c.x_type, depth)) return "oneDNN may round sums beyond 2^24";
  } catch (const dnnl::error&) {
    return "oneDNN does not take this convolution";
  }
  return "";
}

std::unique_ptr<Kernel> make_onednn_conv_int8(const ConvInt8Config& config, PackedConstants& packed) {
  try {
    return std::make_unique<OneDnnConvInt8>(config, packed);
  } catch (const dnnl::error& e) {
    rethrow_onednn(e, "make a convolution of integers");
  }
}

}  // namespace norn::kernels
