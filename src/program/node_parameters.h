// A Program's node, or a part of one, as its operator's `resolve_...` reads it in passes: attributes, and which inputs
// there are; with a graph, what is known of their contents. Inference has found that they are right.
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
  std::optional<opset::Dims> known_ints(int i) const override {
    if (!graph_ || !has_input(i)) return {};
    const Value& value = graph_->value(node_->inputs[static_cast<std::size_t>(i)]);
    const norn::Tensor& contents = value.is_constant() ? value.constant : value.known.constant;
    if (contents.defined()) return opset::ints_of(contents);
    if (!value.known.ints) return {};
    return *value.known.ints;
  }
  [[noreturn]] void fail(std::string message, std::string hint) const override {
    throw Error(ErrorCode::Internal, std::move(message), {}, std::move(hint));
  }

 private:
  const Node* node_;
  const Graph* graph_;
};

}  // namespace norn::program
