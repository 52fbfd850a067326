#include "program/program.h"

#include <utility>

#include "infer/infer_node.h"

namespace norn::program {

Subgraph::Subgraph() = default;
Subgraph::Subgraph(const Subgraph& other)
    : attribute(other.attribute), graph(other.graph ? std::make_unique<Graph>(*other.graph) : nullptr) {}
Subgraph::Subgraph(Subgraph&&) noexcept = default;
Subgraph& Subgraph::operator=(Subgraph&&) noexcept = default;
Subgraph::~Subgraph() = default;

const std::string& Node::path() const {
  static const std::string kNoPath = "a node made by a pass";
  return paths.empty() ? kNoPath : paths.front();
}

std::string describe_operations(const Node& node) {
  std::string text(node.op->name);
  for (const Node& part : node.parts) (text += '+') += part.op->name;
  return text;
}

Program clone(const Program& program) { return Program(program); }

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

}  // namespace norn::program
