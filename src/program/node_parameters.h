// A Program's node, or a part of one, as its operator's `resolve_...` reads it in passes: attributes, and which inputs
// there are. Inference has found that they are right.
#pragma once
#include <string>
#include <utility>

#include "norn/error.h"
#include "opset/node_view.h"
#include "program/program.h"

namespace norn::program {

class NodeParameters final : public opset::NodeView {
 public:
  explicit NodeParameters(const Node& node) : NodeView(node.attributes()), node_(&node) {}
  bool has_input(int i) const noexcept override { return node_->input(static_cast<std::size_t>(i)) != kNone; }
  std::optional<opset::Dims> known_ints(int) const override { return {}; }
  [[noreturn]] void fail(std::string message, std::string hint) const override {
    throw Error(ErrorCode::Internal, std::move(message), {}, std::move(hint));
  }

 private:
  const Node* node_;
};

}  // namespace norn::program
