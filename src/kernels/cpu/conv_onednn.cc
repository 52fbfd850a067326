// Convolution by oneDNN's one-thread primitives (conv_described.h), on slices of the output whose number follows from
// the shape: images, rows of an image (contiguous when channels are last), or blocks of output channels where an image
// has few pixels.
//
// Traps: oneDNN takes no slice with strides of its own, only contiguous ones, so a block of output channels goes
// through scratch memory and is copied to its place; a slice's own top and bottom padding makes its primitive different
// from its neighbours'; a padding so large that a slice reads no row at all is left to one slice for everything.
//
// Factors may be rounded to bfloat16: x is, as a whole, before its slices are read. Sums and what follows are f32.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>

#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/conv_cut.h"
#include "kernels/cpu/conv_described.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/output_blocks.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/pieces.h"
#include "kernels/cpu/posts.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/transpose.h"
#include "kernels/later.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace conv_onednn_cc {
namespace {

using dnnl_type = dnnl::memory::data_type;
using Geometry = ConvGeometry;
using Slice = ConvSlice;
using SliceShape = ConvSliceShape;

bool posts_are_native(const Geometry& g, const SliceShape& s, PackedConstants* store) {
  try {
    return !is_reference(described_slice(g, conv_spreads(g.config), s, true, store)->implementation);
  } catch (const dnnl::error&) {
    return false;
  }
}

// How many of the steps oneDNN does in a slice; those behind are done to each slice, being of one operand. Nothing if
// there is no such number.
std::optional<std::size_t> native_steps(ConvConfig c, const SliceShape& s, dnnl_type factors, PackedConstants* store) {
  while (!posts_are_native(Geometry(c, factors), s, store)) {
    if (c.post.empty() || is_binary(c.post.back().op)) return {};
    c.post.pop_back();
  }
  return c.post.size();
}

class OneDnnConv final : public Kernel {
 public:
  OneDnnConv(const ConvConfig& config, dnnl_type factors, PackedConstants& packed)
      : config_(config), g_(config_, factors), spreads_(conv_spreads(config_)) {
    OneThread one;
    const ConvCut cut(g_);
    take_steps(config, cut.first(), packed);
    if (LaterWork* const later = LaterWork::current()) leave_pieces(cut, *later, packed);
    unfinished_.leave([this, config, &packed] { finish(config, packed); });
  }

  std::size_t scratch_bytes() const override {
    unfinished_.finish();
    return scratch_;
  }
  bool reads(std::size_t i) const override { return i != 1 || !config_.weights.known(); }
  std::size_t bytes() const noexcept override { return (parts_.size() + 1) * kPrimitiveBytes; }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const ConvConfig& c = config_;
    void* const* extras = operands + 3;
    float* const result = static_cast<float*>(operands[3 + c.extra.size()]);
    const float* x = static_cast<const float*>(operands[0]);
    const std::int64_t in_pixels = g_.in_row * c.x[2], out_pixels = g_.out_row * c.out[2];
    if (c.x_layout == Layout::Dense) {
      float* moved = reinterpret_cast<float*>(base + x_at_);
      transpose_matrices(x, moved, c.x[0], c.x[1], in_pixels, sizeof(float));
      x = moved;
    }
    const void* factors = x;
    if (g_.is_rounded()) {
      auto* rounded = reinterpret_cast<std::uint16_t*>(base + rounded_at_);
      parallel_ranges(element_count(c.x), 0.06, 64, [&](std::int64_t begin, std::int64_t end) {
        half_table().float_to_bfloat16(x + begin, rounded + begin, end - begin);
      });
      factors = rounded;
    }
    float* out = c.out_layout == Layout::Dense ? reinterpret_cast<float*>(base + out_at_) : result;

    auto state = pool_.take([&] { return make_state(); });
    {
      OneThread one;
      for (std::size_t p = 0; p < parts_.size(); ++p)
        if (parts_[p].weights == nullptr) pack_now(p, *state, operands[1], base);
    }
    base::parallel_for(static_cast<std::int64_t>(slices_.size()), [&](std::int64_t i) {
      OneThread one;
      run_slice(static_cast<std::size_t>(i), *state, factors, out, operands[2], extras, base);
    });
    pool_.give(std::move(state));
    if (out != result) transpose_matrices(out, result, c.x[0], out_pixels, c.out[1], sizeof(float));
    if (posts_) run_post_chain(*posts_, result, extras, c.extra.size());
  }

 private:
  struct Part {
    SliceShape shape;
    std::shared_ptr<const DescribedSlice> described;
    std::shared_ptr<const dnnl::primitive> primitive;
    dnnl::memory::desc x, w, out, scratch;
    bool calls_gemm;
    std::vector<BinaryPost> binaries;
    std::shared_ptr<const void> weights;  // null if they are not constant
    std::size_t weights_at = 0;           // in scratch, then
  };
  struct State {
    std::vector<Execution> slices;  // empty until they first run, each on its thread
    std::vector<Execution> packing;
    std::vector<dnnl::reorder> packers;
  };

  bool by_channels(const Part& part) const { return part.shape.channels != config_.out[1]; }

  // Of the steps of `config`, those that oneDNN does in such slices.
  void take_steps(const ConvConfig& config, const SliceShape& s, PackedConstants& packed) {
    config_.post = config.post;
    rest_.clear();
    posts_.reset();
    const auto steps = native_steps(config, s, g_.factors, &packed);
    native_ = steps.has_value();
    if (native_) {
      rest_.assign(config_.post.begin() + static_cast<std::ptrdiff_t>(*steps), config_.post.end());
      config_.post.resize(*steps);
    } else {
      posts_ = post_chain(config_.out, config_.out_layout, config_.post, config_.extra, packed);
      config_.in_place_extra = -1;
    }
  }

  // Descriptions and code, which make_part() finds in the store then.
  void leave_pieces(const ConvCut& cut, LaterWork& later, PackedConstants& packed) const {
    const auto config = std::make_shared<const ConvConfig>(config_);
    for (const ConvCut::Part& part : cut.parts) {
      later.piece(slice_primitive_key(g_, spreads_, part.shape, native_),
                  [config, spreads = spreads_, factors = g_.factors, s = part.shape, native = native_,
                   &packed]() -> std::shared_ptr<const void> {
                    try {
                      const Geometry g(*config, factors);
                      const auto of = described_slice(g, spreads, s, native, &packed);
                      const auto code = slice_primitive(g, spreads, s, native, *of, &packed);
                      return std::make_shared<const std::pair<decltype(of), decltype(code)>>(of, code);
                    } catch (const dnnl::error&) {
                      return nullptr;  // as finish() will find, too
                    }
                  });
    }
  }

  void finish(const ConvConfig& config, PackedConstants& packed) {
    OneThread one;
    try {
      try {
        make_parts(ConvCut(g_), packed);
      } catch (const dnnl::error&) {
        take_steps(config, g_.whole(), packed);
        if (!native_ && config.in_place_extra >= 0) throw;
        make_parts(ConvCut(g_, true), packed);
      }
    } catch (const dnnl::error& e) {
      rethrow_onednn(e, "make a convolution");
    }
    // The larger ones first, so that threads end together.
    std::sort(slices_.begin(), slices_.end(), [](const Slice& a, const Slice& b) {
      return std::tie(b.cost, a.image, a.out_row, a.channel) < std::tie(a.cost, b.image, b.out_row, b.channel);
    });
    lay_out_scratch();
  }

  void make_parts(ConvCut cut, PackedConstants& packed) {
    parts_.clear();
    for (const ConvCut::Part& part : cut.parts) parts_.push_back(make_part(part.shape, part.channel, packed));
    slices_ = std::move(cut.slices);
  }

  Part make_part(const SliceShape& s, std::int64_t channel, PackedConstants& packed) {
    Part part;
    part.shape = s;
    part.described = described_slice(g_, spreads_, s, native_, &packed);
    part.primitive = slice_primitive(g_, spreads_, s, native_, *part.described, &packed);
    part.binaries = part.described->binaries;
    const auto& pd = part.described->pd;
    part.calls_gemm = calls_gemm(part.described->implementation);
    part.x = pd.src_desc();
    part.w = pd.weights_desc();
    part.out = pd.dst_desc();
    part.scratch = pd.scratchpad_desc();
    if (config_.weights.known()) part.weights = pack(part, channel, packed);
    return part;
  }

  std::shared_ptr<const void> pack(const Part& part, std::int64_t channel, PackedConstants& packed) const {
    const bool is_product = part.described->is_product;
    const auto plain = plain_slice_weights(g_, part.shape.channels, is_product);
    const std::int64_t all = config_.out[1];
    const auto blocks = g_.group == 1 ? OutputBlocks::of(part.w, is_product ? 1 : 0) : std::nullopt;
    if (blocks && blocks->begins_at(channel) && blocks->ends_at(channel + part.shape.channels, all))
      return blocks->part(config_.weights, 0, plain.get_strides(), all, channel, packed);
    const float* source = static_cast<const float*>(config_.weights.data) + weights_offset(channel);
    return packed.get(config_.weights, static_cast<std::size_t>(weights_offset(channel)) * sizeof(float),
                      (g_.is_rounded() ? "onednn bf16 conv " : "onednn conv ") + describe(part.w),
                      [&] { return repack(source, plain, part.w); });
  }

  std::int64_t weights_offset(std::int64_t channel) const { return channel * config_.w[1] * g_.window; }

  void lay_out_scratch() {
    auto place = [&](std::size_t bytes) {
      const std::size_t at = scratch_;
      scratch_ += align64(bytes);
      return at;
    };
    const auto bytes = [](const Shape& s) { return static_cast<std::size_t>(element_count(s)) * sizeof(float); };
    if (config_.x_layout == Layout::Dense) x_at_ = place(bytes(config_.x));
    if (config_.out_layout == Layout::Dense) out_at_ = place(bytes(config_.out));
    if (g_.is_rounded()) rounded_at_ = place(bytes(config_.x) / 2);
    for (Part& part : parts_)
      if (part.weights == nullptr) part.weights_at = place(part.w.get_size());
    for (const Slice& slice : slices_) {
      const Part& part = parts_[slice.part];
      slice_at_.push_back(place(part.scratch.get_size()));
      if (by_channels(part)) {
        place(part.out.get_size());
        for (const BinaryPost& b : part.binaries)
          if (b.spread == Spread::Full) place(part.out.get_size());
      }
    }
  }

  std::unique_ptr<State> make_state() const {
    auto state = std::make_unique<State>();
    state->slices.resize(slices_.size());
    for (const Part& part : parts_) {
      if (part.weights != nullptr) continue;
      Making making;
      Execution& e = state->packing.emplace_back();
      const auto plain = plain_slice_weights(g_, part.shape.channels, part.described->is_product);
      e.add(DNNL_ARG_FROM, plain);
      e.add(DNNL_ARG_TO, part.w);
      state->packers.emplace_back(dnnl::reorder::primitive_desc(cpu_engine(), plain, cpu_engine(), part.w));
    }
    return state;
  }

  Execution execution(const Part& part) const {
    Execution e;
    e.add(DNNL_ARG_SRC, part.x);
    e.add(DNNL_ARG_WEIGHTS, part.w);
    e.add(DNNL_ARG_DST, part.out);
    e.add(DNNL_ARG_SCRATCHPAD, part.scratch);
    const bool is_product = part.described->is_product;
    if (config_.has_bias) e.add(DNNL_ARG_BIAS, slice_bias(part.shape.channels, is_product));
    for (const BinaryPost& b : part.binaries)
      e.add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(b.index) | DNNL_ARG_SRC_1,
            slice_extra(g_, part.shape, b.spread, is_product));
    return e;
  }

  void pack_now(std::size_t p, State& state, const void* weights, char* base) const {
    std::int64_t channel = 0;
    for (const Slice& slice : slices_)
      if (slice.part == p) channel = slice.channel;
    if (!by_channels(parts_[p])) channel = 0;
    Execution& e = state.packing[p];
    e.set(0, static_cast<const float*>(weights) + weights_offset(channel));
    e.set(1, base + parts_[p].weights_at);
    e.run(state.packers[p]);
  }

  void run_slice(std::size_t i, State& state, const void* x, float* out, const void* bias, void* const* extras,
                 char* base) const {
    const Slice& slice = slices_[i];
    const Part& part = parts_[slice.part];
    Execution& e = state.slices[i];
    if (e.args.empty()) e = execution(part);
    char* work = base + slice_at_[i];
    const bool blocked = by_channels(part);
    const std::int64_t out_offset =
        (slice.image * config_.out[2] + slice.out_row) * g_.out_row_elements + slice.channel;
    const std::int64_t pixels = part.shape.images * part.shape.out_rows * g_.out_row, channels = part.shape.channels;
    const std::size_t out_bytes = align64(part.out.get_size());
    float* to = out + out_offset;
    e.set(3, work);
    work += align64(part.scratch.get_size());
    if (blocked) {
      to = reinterpret_cast<float*>(work);
      work += out_bytes;
      if (config_.in_place_extra >= 0) gather(out + out_offset, to, pixels, channels);
    }
    const std::int64_t first = (slice.image * config_.x[2] + slice.in_row) * g_.in_row_elements;
    e.set(0, static_cast<const char*>(x) + first * static_cast<std::int64_t>(dnnl::memory::data_type_size(g_.factors)));
    e.set(1, part.weights ? part.weights.get() : base + part.weights_at);
    e.set(2, to);
    std::size_t next = 4;
    if (config_.has_bias) e.set(next++, static_cast<const float*>(bias) + slice.channel);
    for (const BinaryPost& b : part.binaries) {
      const float* extra = static_cast<const float*>(extras[b.extra]);
      if (b.spread == Spread::Channel) extra += slice.channel;
      if (b.spread == Spread::Full) {
        extra += out_offset;
        if (blocked) {
          float* copy = reinterpret_cast<float*>(work);
          work += out_bytes;
          gather(extra, copy, pixels, channels);
          extra = copy;
        }
      }
      e.set(next++, extra);
    }
    {
      GemmSection section(part.calls_gemm);
      e.run(*part.primitive);
    }
    constexpr std::int64_t kAtOnce = 4096;  // that stay in the first cache from step to step
    for (std::int64_t i = 0, n = rest_.empty() ? 0 : pixels * channels; i < n; i += kAtOnce)
      for (const ElementStep& step : rest_)
        step_table_f32()(step.op)(to + i, nullptr, to + i, std::min(kAtOnce, n - i), step.a, step.b);
    if (blocked) {
      for (std::int64_t p = 0; p < pixels; ++p)
        std::memcpy(out + out_offset + p * config_.out[1], to + p * channels,
                    static_cast<std::size_t>(channels) * sizeof(float));
    }
  }

  // Pixels of a block of channels, out of rows of all of them.
  void gather(const float* from, float* to, std::int64_t pixels, std::int64_t channels) const {
    for (std::int64_t p = 0; p < pixels; ++p)
      std::memcpy(to + p * channels, from + p * config_.out[1], static_cast<std::size_t>(channels) * sizeof(float));
  }

  ConvConfig config_;
  Geometry g_;
  std::vector<Spread> spreads_;
  bool native_ = false;
  std::vector<ElementStep> rest_;  // done to each slice
  std::unique_ptr<Kernel> posts_;
  std::vector<Part> parts_;
  std::vector<Slice> slices_;
  std::vector<std::size_t> slice_at_;
  std::size_t scratch_ = 0, x_at_ = 0, out_at_ = 0, rounded_at_ = 0;
  base::ObjectPool<State> pool_;
  Unfinished unfinished_;
};

std::unique_ptr<Kernel> make_of(const ConvConfig& config, dnnl_type factors, PackedConstants& packed) {
  try {
    return std::make_unique<OneDnnConv>(config, factors, packed);
  } catch (const dnnl::error& e) {
    rethrow_onednn(e, "make a convolution");
  }
}

}  // namespace
}  // namespace conv_onednn_cc

static std::string sizes_refusal(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  return c.x.size() > 5 ? "more than three spatial dimensions" : onednn_conv_size_refusal(c);
}
static std::string primitive_refusal(const Geometry& g) {
  const ConvConfig& c = g.config;
  OneThread one;
  const ConvSliceShape first = ConvCut(g).first();
  if (native_steps(c, first, g.factors, nullptr)) {
    if (c.in_place_extra >= 0 && c.out_layout != Layout::ChannelsLast) return "a sum in place needs channels last";
    return "";
  }
  try {
    if (is_reference(described_slice(g, conv_spreads(c), first, false, nullptr)->implementation))
      return "oneDNN has only a reference implementation of it";
  } catch (const dnnl::error&) {
    return "oneDNN does not take this convolution";
  }
  if (c.in_place_extra >= 0) return "the steps that follow are not oneDNN's, so the sum cannot be in place";
  return post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::string onednn_conv_refuses(const ConvConfig& c) {
  if (std::string why = sizes_refusal(c); !why.empty()) return why;
  return primitive_refusal(Geometry(c));
}

std::unique_ptr<Kernel> make_onednn_conv(const ConvConfig& config, PackedConstants& packed) {
  return make_of(config, dnnl_type::f32, packed);
}

std::string onednn_conv_bf16_refuses(const ConvConfig& c) {
  if (std::string why = sizes_refusal(c); !why.empty()) return why;
  if (!multiplies_bfloat16()) return "the CPU has no dot products of bfloat16";
  if (!c.weights.known()) return "rounds constant weights alone";
  if (!multiplies_tiles() && winograd_beats_bf16(c)) return "a quarter of the products, of floats, takes less time";
  // Channels are multiplied in pairs. The second of the last pair is the next pixel's first times 0, which is NaN where
  // that is infinite; of so few channels oneDNN makes an image of its own.
  if (c.w[1] > 3 && c.w[1] % 2 != 0)
    return "an odd number of channels, whose last pair has an element of the next pixel";
  constexpr std::int64_t kFewChannels = 4;
  if (multiplies_tiles() && c.w[1] <= kFewChannels)
    return "a row of a tile has several pixels, of which some count for 0";
  constexpr std::int64_t kFewest = 32;  // products of an element of x, and of a sum
  const Geometry g(c, dnnl_type::bf16);
  const bool few = c.w[1] * g.window < kFewest || c.w[0] / c.group < kFewest;
  return few ? "too few products for each rounded element" : primitive_refusal(g);
}

std::unique_ptr<Kernel> make_onednn_conv_bf16(const ConvConfig& config, PackedConstants& packed) {
  return make_of(config, dnnl_type::bf16, packed);
}

}  // namespace norn::kernels
