#include "kernels/cpu/quantized_chain.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/walk.h"
#include "kernels/element_op.h"

namespace norn::kernels {
inline namespace quantized_chain_cc {
namespace {

constexpr std::int64_t kTile = 1024;

class QuantizedChain final : public Kernel {
 public:
  explicit QuantizedChain(const QuantizedChainConfig& config)
      : types_(config.inputs), out_(config.out), elements_(element_count(config.chain.out)) {
    element_ns_ = 0.2 * static_cast<double>(types_.size());
    for (const ExtraOperand& input : config.chain.inputs)
      walks_.push_back({broadcast_walk(config.chain.out, config.chain.layout, input)});
    for (const ElementStep& step : config.chain.steps) {
      if (step.op == ElementOp::Identity) continue;
      Bound bound{is_binary(step.op) ? step.operand : -1, step.a, step.b, nullptr, nullptr};
      bound.vector = step_table_f32()(step.op, step.swapped ? Right::VectorSwapped : Right::Vector);
      bound.value = step_table_f32()(step.op, step.swapped ? Right::ValueSwapped : Right::Value);
      element_ns_ += element_info(step.op).f32_ns;
      steps_.push_back(bound);
    }
    const auto of_type = [&](DataType t) { return types_ == std::vector{t, t} && out_ == t; };
    if (steps_.size() != 1 || steps_[0].operand != 1) return;
    if (of_type(DataType::Uint8)) join_uint8_ = join_by(config.chain, quantize_table().of_uint8);
    if (of_type(DataType::Int8)) join_int8_ = join_by(config.chain, quantize_table().of_int8);
  }

  void run(void* const* operands, void*) const override {
    parallel_ranges(elements_, element_ns_, kTile, [&](std::int64_t begin, std::int64_t end) {
      if (join_uint8_)
        join(join_uint8_, operands, begin, end - begin);
      else if (join_int8_)
        join(join_int8_, operands, begin, end - begin);
      else
        range(operands, begin, end);
    });
  }

 private:
  struct Bound {
    int operand;
    float a, b;
    StepF32 vector, value;
  };

  // Of a chain whose one step joins both inputs; null if that is neither a sum nor a product.
  template <class T>
  static JoinQuantized<T> join_by(const ChainConfig& chain, const QuantizedJoins<T>& joins) {
    for (const ElementStep& step : chain.steps) {
      if (step.op == ElementOp::Add) return joins.sum;
      if (step.op == ElementOp::Mul) return joins.product;
    }
    return nullptr;
  }
  template <class T>
  void join(JoinQuantized<T> by, void* const* operands, std::int64_t at, std::int64_t n) const {
    const auto scale_at = [&](std::size_t i) { return *static_cast<const float*>(operands[i]); };
    const auto input = [&](std::size_t i) {
      return Quantized<T>{static_cast<const T*>(operands[i]) + at, scale_at(2 + 2 * i),
                          zero_point(operands[3 + 2 * i], out_)};
    };
    by(input(0), input(1), scale_at(6), zero_point(operands[7], out_), static_cast<T*>(operands[8]) + at, n);
  }

  const float* read(void* const* operands, std::size_t i, std::int64_t at, std::int64_t n, float* tile,
                    bool& one) const {
    if (types_[i] == DataType::Float) return walks_[i].read(static_cast<const float*>(operands[i]), at, n, tile, one);
    one = false;
    const void* const* own = operands + types_.size() + 2 * i;
    const float scale = *static_cast<const float*>(own[0]);
    const int zero = zero_point(own[1], types_[i]);
    if (types_[i] == DataType::Uint8)
      quantize_table().from_uint8(static_cast<const std::uint8_t*>(operands[i]) + at, scale, zero, tile, n);
    else
      quantize_table().from_int8(static_cast<const std::int8_t*>(operands[i]) + at, scale, zero, tile, n);
    return tile;
  }

  void range(void* const* operands, std::int64_t begin, std::int64_t end) const {
    alignas(64) float value[kTile], other[kTile];
    void* const* behind = operands + 3 * types_.size();
    for (std::int64_t at = begin; at < end; at += kTile) {
      const std::int64_t n = std::min(kTile, end - at);
      bool one;
      const float* x = read(operands, 0, at, n, value, one);
      if (one) {
        std::fill_n(value, n, *x);
        x = value;
      }
      for (const Bound& step : steps_) {
        if (step.operand < 0) {
          step.vector(x, nullptr, value, n, step.a, step.b);
        } else {
          const float* y = read(operands, static_cast<std::size_t>(step.operand), at, n, other, one);
          (one ? step.value : step.vector)(x, y, value, n, step.a, step.b);
        }
        x = value;
      }
      if (out_ == DataType::Float) {
        std::memcpy(static_cast<float*>(behind[2]) + at, x, static_cast<std::size_t>(n) * sizeof(float));
        continue;
      }
      const float scale = *static_cast<const float*>(behind[0]);
      const int zero = zero_point(behind[1], out_);
      if (out_ == DataType::Uint8)
        quantize_table().to_uint8(x, scale, zero, static_cast<std::uint8_t*>(behind[2]) + at, n);
      else
        quantize_table().to_int8(x, scale, zero, static_cast<std::int8_t*>(behind[2]) + at, n);
    }
  }

  std::vector<DataType> types_;
  DataType out_;
  std::int64_t elements_;
  double element_ns_;
  std::vector<Walk> walks_;
  std::vector<Bound> steps_;
  JoinQuantized<std::uint8_t> join_uint8_ = nullptr;
  JoinQuantized<std::int8_t> join_int8_ = nullptr;
};

std::string refuses(const QuantizedChainConfig& c) {
  if (std::string why = chain_candidates()[0].refuses(c.chain); !why.empty()) return why;
  if (c.chain.type != DataType::Float || c.inputs.size() != c.chain.inputs.size()) return "computes float";
  const auto known = [](DataType t) { return t == DataType::Float || t == DataType::Uint8 || t == DataType::Int8; };
  if (!known(c.out)) return "gives float, uint8 and int8, not " + std::string(data_type_name(c.out));
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    if (!known(c.inputs[i])) return "takes float, uint8 and int8, not " + std::string(data_type_name(c.inputs[i]));
    const ExtraOperand& input = c.chain.inputs[i];
    if (c.inputs[i] != DataType::Float &&
        (input.dims != c.chain.out || input.layout != c.chain.layout || !input.strides.empty()))
      return "a quantized input that does not lie as the output does";
  }
  return "";
}
std::unique_ptr<Kernel> make(const QuantizedChainConfig& c, PackedConstants&) {
  return std::make_unique<QuantizedChain>(c);
}

constexpr Candidate<QuantizedChainConfig> kQuantizedChainCandidates[] = {{"simd", refuses, make}};

}  // namespace
}  // namespace quantized_chain_cc

std::span<const Candidate<QuantizedChainConfig>> quantized_chain_candidates() { return kQuantizedChainCandidates; }

}  // namespace norn::kernels
