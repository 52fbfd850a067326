// A Program's node, or a part of one, as its operator's `resolve_...` reads it in passes: attributes, and which inputs
// there are; with a graph, what is known of their shapes and contents. Inference has found that they are right.
#pragma once
#include <string>
#include <utility>

#include "norn/error.h"
#include "opset/node_view.h"
#include "program/program.h"

namespace norn::program {

class NodeParameters final : public opset::NodeView {
 public:
  explicit NodeParameters(const Node& node, const Graph* graph = nullptr)
      : NodeView(node.attributes()), node_(&node), graph_(graph) {}
  bool has_input(int i) const noexcept override { return node_->input(static_cast<std::size_t>(i)) != kNone; }
  const norn::Tensor* constant(int i) const noexcept override {
    const Value* at = value(i);
    if (!at) return nullptr;
    const norn::Tensor& contents = at->is_constant() ? at->constant : at->known.constant;
    return contents.defined() ? &contents : nullptr;
  }
  std::optional<opset::Dims> known_ints(int i) const override {
    if (const norn::Tensor* contents = constant(i)) return opset::ints_of(*contents);
    const Value* at = value(i);
    return at && at->known.ints ? std::optional(*at->known.ints) : std::nullopt;
  }
  std::optional<opset::Dims> known_shape(int i) const override {
    const Value* at = value(i);
    return at ? at->type.shape : std::nullopt;
  }
  ErrorCode fault_code() const noexcept override { return ErrorCode::Internal; }

 private:
  const Value* value(int i) const noexcept {
    return graph_ && has_input(i) ? &graph_->value(node_->inputs[static_cast<std::size_t>(i)]) : nullptr;
  }
  const Node* node_;
  const Graph* graph_;
};

}  // namespace norn::program
