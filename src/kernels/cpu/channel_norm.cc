#include "kernels/cpu/channel_norm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace channel_norm_cc {
namespace {

// x [batch, channels, inner] by three numbers of each channel, or two.
template <class T>
class Channels {
 public:
  Channels(std::int64_t batch, std::int64_t channels, std::int64_t inner, bool shifted)
      : batch_(batch), channels_(channels), inner_(inner), shifted_(shifted), loops_(channel_loops<T>(shifted)) {}

  void operator()(const T* x, const T* mean, const T* factor, const T* bias, T* out) const {
    if (inner_ < kShort) return tiles(x, mean, factor, bias, out);
    parallel_ranges(batch_ * channels_, 4 + 0.15 * static_cast<double>(inner_), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t at = begin; at < end;) {
                        const std::int64_t k = at % channels_, n = std::min(channels_ - k, end - at);
                        loops_.rows(x + at * inner_, shifted_ ? mean + k : nullptr, factor + k, bias + k,
                                    out + at * inner_, inner_, n);
                        at += n;
                      }
                    });
  }

 private:
  static constexpr std::int64_t kShort = 32, kTile = 1024;

  // Short rows: of some channels, whose numbers are spread once, in one image after the other.
  void tiles(const T* x, const T* mean, const T* factor, const T* bias, T* out) const {
    const std::int64_t most = kTile / inner_, parts = (channels_ + most - 1) / most;
    const double tile_ns = 10 + 0.3 * static_cast<double>(std::min(most, channels_) * inner_);
    parallel_ranges(parts * batch_, tile_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      T spread[3][kTile];
      const T* numbers[3] = {};
      for (std::int64_t at = begin; at < end; ++at) {
        const std::int64_t k = at / batch_ * most, image = at % batch_, n = std::min(most, channels_ - k);
        if (at == begin || image == 0)
          for (int i = shifted_ ? 0 : 1; i < 3; ++i) {
            const T* const from = (i == 0 ? mean : i == 1 ? factor : bias) + k;
            numbers[i] = inner_ == 1 ? from : spread[i];
            if (inner_ > 1) spread_rows(from, 1, spread[i], sizeof(T), inner_, n);
          }
        const std::int64_t first = (image * channels_ + k) * inner_;
        loops_.each(x + first, numbers[0], numbers[1], numbers[2], out + first, n * inner_);
      }
    });
  }

  std::int64_t batch_, channels_, inner_;
  bool shifted_;
  ChannelLoops<T> loops_;
};

template <class T>
class ChannelNorm final : public Kernel {
 public:
  explicit ChannelNorm(const ChannelNormConfig& c) : c_(c), all_(c.batch, c.channels, c.inner, true) {}

  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(c_.channels) * sizeof(T); }

  void run(void* const* operands, void* scratch) const override {
    const auto in = [&](std::size_t i) { return static_cast<const T*>(operands[i]); };
    const T *scale = in(1), *variance = in(4);
    T* const factors = static_cast<T*>(scratch);
    for (std::int64_t k = 0; k < c_.channels; ++k)
      factors[k] =
          static_cast<T>(static_cast<double>(scale[k]) / std::sqrt(static_cast<double>(variance[k]) + c_.epsilon));
    all_(in(0), in(3), factors, in(2), static_cast<T*>(operands[5]));
  }

 private:
  ChannelNormConfig c_;
  Channels<T> all_;
};

template <class T>
class ChannelScale final : public Kernel {
 public:
  ChannelScale(const ChainConfig& c, const Channels<T>& all)
      : scale_(static_cast<std::size_t>(c.steps[0].operand)),
        shift_(static_cast<std::size_t>(c.steps[1].operand)),
        out_(c.inputs.size()),
        all_(all) {}

  void run(void* const* operands, void*) const override {
    const auto in = [&](std::size_t i) { return static_cast<const T*>(operands[i]); };
    all_(in(0), nullptr, in(scale_), in(shift_), static_cast<T*>(operands[out_]));
  }

 private:
  std::size_t scale_, shift_, out_;
  Channels<T> all_;
};

std::string channel_norm_refuses(const ChannelNormConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "does not compute " + std::string(data_type_name(c.type));
  const Shape x = {c.batch, c.channels, c.inner, 8};
  return extent_refusal({&x});
}
std::unique_ptr<Kernel> make_channel_norm(const ChannelNormConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<ChannelNorm<double>>(c);
  return std::make_unique<ChannelNorm<float>>(c);
}

constexpr Candidate<ChannelNormConfig> kChannelNormCandidates[] = {
    {"channels", channel_norm_refuses, make_channel_norm}};

}  // namespace
}  // namespace channel_norm_cc

std::unique_ptr<Kernel> make_channel_scale(const ChainConfig& c) {
  if (c.steps.size() != 2 || c.steps[0].op != ElementOp::Mul || c.steps[1].op != ElementOp::Add) return nullptr;
  if (c.steps[0].operand < 1 || c.steps[1].operand < 1) return nullptr;
  const auto walk = [&](std::size_t i) { return broadcast_walk(c.out, c.layout, c.inputs[i]); };
  const auto x = walk(0);
  auto dims = walk(static_cast<std::size_t>(c.steps[0].operand));
  const auto other = walk(static_cast<std::size_t>(c.steps[1].operand));
  const auto alike = [](const StridedDim& a, const StridedDim& b) { return a.size == b.size && a.stride == b.stride; };
  if (x.size() != 1 || x[0].stride != 1) return nullptr;
  if (dims.size() != other.size() || !std::equal(dims.begin(), dims.end(), other.begin(), alike)) return nullptr;
  if (dims.size() == 2) dims.insert(dims.begin(), {1, 0});
  if (dims.size() != 3 || dims[0].stride != 0 || dims[1].stride != 1 || dims[2].stride != 0) return nullptr;
  const std::int64_t batch = dims[0].size, channels = dims[1].size, inner = dims[2].size;
  if (c.type == DataType::Float)
    return std::make_unique<ChannelScale<float>>(c, Channels<float>(batch, channels, inner, false));
  if (c.type == DataType::Double)
    return std::make_unique<ChannelScale<double>>(c, Channels<double>(batch, channels, inner, false));
  return nullptr;
}

std::span<const Candidate<ChannelNormConfig>> channel_norm_candidates() { return kChannelNormCandidates; }

}  // namespace norn::kernels
