#include "program/program.h"

#include <utility>

#include "infer/infer_node.h"

namespace norn::program {

const std::string& Node::path() const {
  static const std::string kNoPath = "a node made by a pass";
  return paths.empty() ? kNoPath : paths.front();
}

void make_constant(Value& value, norn::Tensor contents) {
  value.origin = Origin::Constant;
  value.type = opset::ValueType::tensor(contents.dtype(), opset::Dims(contents.dims().begin(), contents.dims().end()));
  value.known = {};
  if (contents.size() <= infer::kSmall) value.known.constant = contents;
  value.constant = std::move(contents);
}

std::uint64_t memory_of(const norn::Tensor& contents) {
  std::uint64_t bytes = contents.bytes();
  if (contents.dtype() == DataType::String)
    for (std::int64_t i = 0; i < contents.size(); ++i) bytes += contents.as<std::string>()[i].size();
  return bytes;
}

void for_each_use(const Node& node, const std::function<void(ValueId)>& f) {
  for (ValueId id : node.inputs)
    if (id != kNone) f(id);
  for (const PostOp& post : node.post)
    for (ValueId id : post.inputs)
      if (id != kNone) f(id);
  for (const Subgraph& sub : node.subgraphs)
    for (const Graph::Capture& capture : sub.graph->captures) f(capture.outer);
}

void replace_uses(Node& node, const std::function<ValueId(ValueId)>& f) {
  for (ValueId& id : node.inputs)
    if (id != kNone) id = f(id);
  for (PostOp& post : node.post)
    for (ValueId& id : post.inputs)
      if (id != kNone) id = f(id);
  for (Subgraph& sub : node.subgraphs)
    for (Graph::Capture& capture : sub.graph->captures) capture.outer = f(capture.outer);
}

std::vector<Node> unfuse(const Node& node) {
  std::vector<Node> result;
  Node base;
  base.op = node.op;
  base.schema = node.schema;
  base.name = node.name;
  base.attrs = node.attrs;
  base.inputs = node.inputs;
  base.outputs = node.outputs;
  base.paths = node.paths;
  base.device_configurations = node.device_configurations;
  base.metadata = node.metadata;
  // A fused node has one output and no subgraphs, so nothing else needs to move.
  if (!node.post.empty()) base.outputs[0] = node.post[0].carried;
  result.push_back(std::move(base));
  for (std::size_t i = 0; i < node.post.size(); ++i) {
    const PostOp& post = node.post[i];
    Node step;
    step.op = post.op;
    step.schema = post.schema;
    step.attrs = post.attrs;
    step.inputs = post.inputs;
    step.inputs[static_cast<std::size_t>(post.running)] = post.carried;
    step.outputs = {i + 1 == node.post.size() ? node.outputs[0] : node.post[i + 1].carried};
    step.paths = {post.path};
    step.device_configurations = node.device_configurations;
    result.push_back(std::move(step));
  }
  return result;
}

}  // namespace norn::program
