// What follows a matrix product and its own code does not do: beta * C, then the steps, as one chain over the output.
#pragma once
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/posts.h"
#include "norn/error.h"

namespace norn::kernels {

class MatMulPosts {
 public:
  // `c_is_bias`: the product adds C itself. `steps_too`: and applies the steps.
  MatMulPosts(const MatMulConfig& c, bool c_is_bias, PackedConstants& packed, bool steps_too = false)
      : c_is_bias_(c_is_bias) {
    std::vector<ExtraOperand> extra;
    std::vector<ElementStep> steps;
    if (c.has_c && c.beta != 0.0f && !c_is_bias) {
      if (c.beta == 1.0f) {
        first_ = 2;
        extra.push_back({c.c, Layout::Dense, c.c_constant});
        steps.push_back({ElementOp::Add, 0, 0, 0});
      } else {
        beta_ = c.beta;
        ChainConfig scale;  // C * beta + out -> out
        scale.out = c.out;
        scale.inputs = {{c.c, Layout::Dense, nullptr}, {{}, Layout::Dense, nullptr}, {c.out, Layout::Dense, nullptr}};
        scale.steps = {{ElementOp::Mul, 0, 0, 1}, {ElementOp::Add, 0, 0, 2}};
        add_scaled_ = chain_candidates()[0].make(scale, packed);
      }
    }
    const int shift = static_cast<int>(extra.size());
    if (!steps_too) {
      extra.insert(extra.end(), c.extra.begin(), c.extra.end());
      for (ElementStep step : c.post) {
        if (is_binary(step.op)) step.operand += shift;
        steps.push_back(step);
      }
    }
    extras_ = extra.size();
    chain_ = post_chain(c.out, Layout::Dense, steps, extra, packed);
  }

  bool c_is_bias() const { return c_is_bias_; }

  void run(void* const* operands, float* out) const {
    if (add_scaled_) {
      void* list[] = {operands[2], const_cast<float*>(&beta_), out, out};
      add_scaled_->run(list, nullptr);
    }
    if (chain_) run_post_chain(*chain_, out, operands + first_, extras_);
  }

  static std::string refuses(const MatMulConfig& c) {
    return c.extra.size() >= kMostExtras ? "too many operands of the steps that follow"
                                         : post_chain_refuses(c.out, Layout::Dense, c.post, c.extra);
  }

 private:
  bool c_is_bias_;
  std::size_t first_ = 3, extras_ = 0;  // the chain's extras among the product's operands
  float beta_ = 1;
  std::unique_ptr<Kernel> chain_, add_scaled_;
};

}  // namespace norn::kernels
