// Element-wise steps on runs of pixels with channels last, or of rows, while a contraction still has them in its cache.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"

namespace norn::kernels {

// The bounds that a single step puts on values, which products apply in registers; none for other steps.
inline std::optional<std::pair<float, float>> bounds_of(std::span<const ElementStep> steps) {
  constexpr float kMost = std::numeric_limits<float>::infinity();
  if (steps.empty()) return {{-kMost, kMost}};
  if (steps.size() != 1) return {};
  if (steps[0].op == ElementOp::Relu) return {{0.0f, kMost}};
  if (steps[0].op == ElementOp::Clip && steps[0].a <= steps[0].b) return {{steps[0].a, steps[0].b}};
  return {};
}

class PixelSteps {
 public:
  // Of an output of these dims; extras with channels last, or those that broadcast along pixels. Of a dense output, the
  // channels are what its last dimension counts.
  PixelSteps(const Shape& out, const std::vector<ElementStep>& steps, const std::vector<ExtraOperand>& extra,
             Layout layout = Layout::ChannelsLast)
      : steps_(steps) {
    for (const ExtraOperand& e : extra) {
      const auto reading = reading_of(out, layout, e);
      if (!reading) {
        can_read_ = false;
        return;
      }
      readings_.push_back(*reading);
    }
  }

  // Whether runs of pixels are enough to read all extras.
  bool can_read() const noexcept { return can_read_; }

  // Whether the extra is a row that every pixel gets.
  bool is_row(int extra) const { return readings_[static_cast<std::size_t>(extra)] == Reading::Channel; }

  // What products apply in registers, if that is all: an extra of the output's size is added (-1: none), then bounds.
  struct InRegisters {
    int added;
    std::pair<float, float> bounds;
  };
  std::optional<InRegisters> in_registers() const {
    const bool adds = can_read_ && !steps_.empty() && steps_[0].op == ElementOp::Add &&
                      readings_[static_cast<std::size_t>(steps_[0].operand)] == Reading::Full;
    const auto bounds = bounds_of(std::span(steps_).subspan(adds ? 1 : 0));
    if (!bounds) return {};
    return {{adds ? steps_[0].operand : -1, *bounds}};
  }

  // On `n` elements of `out` from element `at` on: pixels of `width` channels each, from channel `f` on. `extras` are
  // the addresses of the extras.
  void apply(float* out, void* const* extras, std::int64_t at, std::int64_t n, std::int64_t f,
             std::int64_t width) const {
    const StepTableF32& table = step_table_f32();
    out += at;
    for (const ElementStep& step : steps_) {
      if (!is_binary(step.op)) {
        table(step.op)(out, nullptr, out, n, step.a, step.b);
        continue;
      }
      const auto which = static_cast<std::size_t>(step.operand);
      const float* y = static_cast<const float*>(extras[which]);
      if (readings_[which] == Reading::Value) {
        table(step.op, step.swapped ? Right::ValueSwapped : Right::Value)(out, y, out, n, step.a, step.b);
        continue;
      }
      const StepF32 run = table(step.op, step.swapped ? Right::VectorSwapped : Right::Vector);
      if (readings_[which] == Reading::Full)
        run(out, y + at, out, n, step.a, step.b);
      else
        for (std::int64_t i = 0; i < n; i += width) run(out + i, y + f, out + i, width, step.a, step.b);
    }
  }

 private:
  enum class Reading : std::uint8_t { Full, Channel, Value };

  static std::optional<Reading> reading_of(const Shape& out, Layout layout, const ExtraOperand& extra) {
    const std::vector<StridedDim> walk = broadcast_walk(out, layout, extra);
    const std::int64_t channels = layout == Layout::Dense ? out.back() : out[1];
    if (walk.size() == 1 && walk[0].stride <= 1) return walk[0].stride == 1 ? Reading::Full : Reading::Value;
    if (walk.size() == 2 && walk[0].stride == 0 && walk[1].stride == 1 && walk[1].size == channels)
      return Reading::Channel;
    return std::nullopt;
  }

  std::vector<ElementStep> steps_;
  std::vector<Reading> readings_;
  bool can_read_ = true;
};

// Why products that finish runs of pixels cannot apply the steps to an output with channels last; "" if they can.
inline std::string pixel_steps_refusal(const Shape& out, const std::vector<ElementStep>& post,
                                       const std::vector<ExtraOperand>& extra, int in_place_extra) {
  for (const ElementStep& step : post)
    if (is_binary(step.op) && (step.operand < 0 || static_cast<std::size_t>(step.operand) >= extra.size()))
      return "a step's operand is not among the extras";
  const PixelSteps steps(out, post, extra);
  if (!steps.can_read()) return "a step's operand is not laid out as pixels";
  // What lies where the output does is read before it is written in registers only.
  if (in_place_extra >= 0 && (!steps.in_registers() || steps.in_registers()->added != in_place_extra))
    return "what is added in place does not come first";
  return "";
}

}  // namespace norn::kernels
