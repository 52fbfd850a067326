#include "kernels/cpu/channel_norm.h"

#include <cmath>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace channel_norm_cc {
namespace {

template <class T>
class ChannelNorm final : public Kernel {
 public:
  explicit ChannelNorm(const ChannelNormConfig& c) : c_(c), loops_(channel_loops<T>()) {}

  std::size_t scratch_bytes() const override {
    return c_.inner == 1 ? static_cast<std::size_t>(c_.channels) * sizeof(T) : 0;
  }

  void run(void* const* operands, void* scratch) const override {
    if (c_.inner == 1) return rows(operands, static_cast<T*>(scratch));
    const auto in = [&](std::size_t i) { return static_cast<const T*>(operands[i]); };
    const T *x = in(0), *scale = in(1), *bias = in(2), *mean = in(3), *variance = in(4);
    T* out = static_cast<T*>(operands[5]);
    parallel_ranges(
        c_.batch * c_.channels, 8 + 0.15 * static_cast<double>(c_.inner), 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t k = i % c_.channels;
            const double factor =
                static_cast<double>(scale[k]) / std::sqrt(static_cast<double>(variance[k]) + c_.epsilon);
            loops_.channel(x + i * c_.inner, mean[k], static_cast<T>(factor), bias[k], out + i * c_.inner, c_.inner);
          }
        });
  }

 private:
  // Channels that lie behind each other.
  void rows(void* const* operands, T* factors) const {
    const auto in = [&](std::size_t i) { return static_cast<const T*>(operands[i]); };
    for (std::int64_t k = 0; k < c_.channels; ++k)
      factors[k] =
          static_cast<T>(static_cast<double>(in(1)[k]) / std::sqrt(static_cast<double>(in(4)[k]) + c_.epsilon));
    const T *mean = in(3), *bias = in(2);
    parallel_ranges(c_.batch, 5 + 0.5 * static_cast<double>(c_.channels), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const T* x = in(0) + r * c_.channels;
        T* out = static_cast<T*>(operands[5]) + r * c_.channels;
        loops_.row(x, mean, factors, bias, out, c_.channels);
      }
    });
  }

  ChannelNormConfig c_;
  ChannelLoops<T> loops_;
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

std::span<const Candidate<ChannelNormConfig>> channel_norm_candidates() { return kChannelNormCandidates; }

}  // namespace norn::kernels
