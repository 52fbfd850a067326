// Element-wise steps that a contraction's own code does not apply: a chain over its output, in place.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "kernels/cpu/bounds.h"
#include "kernels/cpu/elementwise.h"

namespace norn::kernels {

inline constexpr std::size_t kMostExtras = 32;

// What a loop applies as it stores: no step, one bound or two. Nothing if the steps are others.
inline std::optional<Bounds> as_bounds(const std::vector<ElementStep>& post) {
  Bounds bounds;
  if (post.empty()) return bounds;
  const ElementStep& step = post[0];
  if (post.size() > 1 || (step.op != ElementOp::Relu && (step.op != ElementOp::Clip || step.a > step.b))) return {};
  bounds.low = step.op == ElementOp::Relu ? 0.0f : step.a;
  if (step.op == ElementOp::Clip) bounds.high = step.b;
  return bounds;
}

// The chain [out, extras...] -> out; null for no steps.
inline std::unique_ptr<Kernel> post_chain(const Shape& out, Layout layout, const std::vector<ElementStep>& post,
                                          const std::vector<ExtraOperand>& extra, PackedConstants& packed) {
  if (post.empty()) return nullptr;
  ChainConfig chain;
  chain.out = out;
  chain.layout = layout;
  chain.inputs.push_back({out, layout, nullptr});
  chain.inputs.insert(chain.inputs.end(), extra.begin(), extra.end());
  chain.steps = post;
  for (ElementStep& step : chain.steps)
    if (is_binary(step.op)) ++step.operand;
  return chain_candidates()[0].make(chain, packed);
}

inline std::string post_chain_refuses(const Shape& out, Layout layout, const std::vector<ElementStep>& post,
                                      const std::vector<ExtraOperand>& extra) {
  if (extra.size() > kMostExtras) return "more than 32 operands of the steps that follow";
  for (const ElementStep& step : post)
    if (is_binary(step.op) && (step.operand < 0 || static_cast<std::size_t>(step.operand) >= extra.size()))
      return "a step's operand is not among the extras";
  ChainConfig chain;
  chain.out = out;
  chain.layout = layout;
  chain.inputs.push_back({out, layout, nullptr});
  chain.inputs.insert(chain.inputs.end(), extra.begin(), extra.end());
  return chain_candidates()[0].refuses(chain);
}

// Runs it: `first_extra` is the address of the first extra among the contraction's operands.
inline void run_post_chain(const Kernel& chain, void* out, void* const* first_extra, std::size_t extras) {
  void* list[kMostExtras + 2];
  list[0] = out;
  for (std::size_t i = 0; i < extras; ++i) list[i + 1] = first_extra[i];
  list[extras + 1] = out;
  chain.run(list, nullptr);
}

}  // namespace norn::kernels
