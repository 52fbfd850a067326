// What a product by panels (separable.h) does with C and the steps: in registers what those hold, the rest to rows of
// some panels' columns while these are in the second cache.
#pragma once
#include <limits>
#include <optional>
#include <string>

#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/pixel_steps.h"

namespace norn::kernels {

class PanelSteps {
 public:
  static constexpr float kNone = std::numeric_limits<float>::infinity();  // no bound, or that below 0

  explicit PanelSteps(const MatMulConfig& c)
      : bias_extra_(bias_extra(c)),
        biased_(bias_extra_ >= 0 || c_form(c) == CForm::Row),
        steps_(steps_of(c, bias_extra_)),
        in_registers_(steps_.in_registers()) {
    if (in_registers_) bounds_ = in_registers_->bounds;
  }

  // Why all of it cannot be done so; "" if it can.
  static std::string refuses(const MatMulConfig& c) {
    if (c.alpha != 1.0f) return "the product is scaled";
    if (c_form(c) == CForm::Other || (c_form(c) == CForm::Row && c.beta != 1.0f)) return "C is not a bias";
    for (const ElementStep& step : c.post)
      if (is_binary(step.op) && (step.operand < 0 || static_cast<std::size_t>(step.operand) >= c.extra.size()))
        return "a step's operand is not among the extras";
    if (!PixelSteps(c.out, c.post, c.extra, Layout::Dense).can_read()) return "a step's operand is not rows or a row";
    // What lies where the output does is read before it is written in registers only.
    const auto in_registers = steps_of(c, bias_extra(c)).in_registers();
    if (c.in_place_extra >= 0 && (!in_registers || in_registers->added != c.in_place_extra))
      return "what is added in place does not come first";
    return "";
  }

  // Of the kernel's operands; null for none.
  const float* bias(void* const* operands) const {
    if (!biased_) return nullptr;
    return static_cast<const float*>(bias_extra_ >= 0 ? operands[3 + bias_extra_] : operands[2]);
  }
  const float* added(void* const* operands) const {
    return !in_registers_ || in_registers_->added < 0 ? nullptr
                                                      : static_cast<const float*>(operands[3 + in_registers_->added]);
  }
  float low() const noexcept { return bounds_.first; }
  float high() const noexcept { return bounds_.second; }

  // Whether apply() has anything to do.
  bool remain() const noexcept { return !in_registers_; }
  // On columns [column, column + columns) of rows [first, last) of an output of `n` columns.
  void apply(void* const* operands, float* out, std::int64_t n, std::int64_t first, std::int64_t last,
             std::int64_t column, std::int64_t columns) const {
    for (std::int64_t r = first; r < last; ++r)
      steps_.apply(out, operands + 3, r * n + column, columns, column, columns);
  }

 private:
  // The first step's operand, if that adds a row, as a bias.
  static int bias_extra(const MatMulConfig& c) {
    if (c_form(c) != CForm::None || c.post.empty() || c.post[0].op != ElementOp::Add) return -1;
    const int operand = c.post[0].operand;
    return operand != c.in_place_extra && PixelSteps(c.out, c.post, c.extra, Layout::Dense).is_row(operand) ? operand
                                                                                                            : -1;
  }
  static PixelSteps steps_of(const MatMulConfig& c, int bias) {
    return {c.out, {c.post.begin() + (bias >= 0 ? 1 : 0), c.post.end()}, c.extra, Layout::Dense};
  }

  int bias_extra_;
  bool biased_;
  PixelSteps steps_;
  std::optional<PixelSteps::InRegisters> in_registers_;
  std::pair<float, float> bounds_{-kNone, kNone};
};

}  // namespace norn::kernels
