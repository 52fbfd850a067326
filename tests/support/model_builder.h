// Small models for tests, built as documents.
//
//   ModelBuilder m(21);
//   m.input("x", "float[N,4]").initializer("w", tensor<float>({4, 2}, {...}));
//   m.node("MatMul", {"x", "w"}, {"y"}).output("y", "float[N,2]");
#pragma once
#include <string>
#include <vector>

#include "ir/model.h"
#include "ir/tensor_data.h"
#include "ops/common/slice_test.h"
#include "opset/value_type.h"

namespace norn::test {

inline ir::ValueInfo value_info(const std::string& name, const std::string& type) {
  ir::ValueInfo info;
  info.name = name;
  if (!type.empty()) info.type = opset::to_ir(ops::test::type(type));
  return info;
}

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name = "main") { graph_.name = std::move(name); }

  GraphBuilder& input(const std::string& name, const std::string& type) {
    graph_.input.push_back(value_info(name, type));
    return *this;
  }
  GraphBuilder& output(const std::string& name, const std::string& type = {}) {
    graph_.output.push_back(value_info(name, type));
    return *this;
  }
  GraphBuilder& initializer(const std::string& name, const norn::Tensor& value) {
    graph_.initializer.push_back(ir::from_value(value, name));
    return *this;
  }
  GraphBuilder& node(const std::string& op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                     std::vector<ir::Attribute> attrs = {}, const std::string& domain = {}) {
    ir::Node n;
    n.op_type = op;
    if (!domain.empty()) n.domain = domain;
    n.name = "n" + std::to_string(graph_.node.size());
    n.input = std::move(inputs);
    n.output = std::move(outputs);
    n.attribute = std::move(attrs);
    graph_.node.push_back(std::move(n));
    return *this;
  }
  const ir::Graph& graph() const { return graph_; }
  ir::Graph& graph() { return graph_; }

 private:
  ir::Graph graph_;
};

class ModelBuilder : public GraphBuilder {
 public:
  explicit ModelBuilder(std::int64_t opset = 21) {
    model_.ir_version = std::int64_t{10};
    import_opset("", opset);
  }
  ModelBuilder& import_opset(const std::string& domain, std::int64_t version) {
    ir::OperatorSetId id;
    id.domain = domain;
    id.version = version;
    model_.opset_import.push_back(std::move(id));
    return *this;
  }
  ir::Model& document() { return model_; }
  ir::Model build() const {
    ir::Model model = model_;
    model.graph = graph();
    return model;
  }

 private:
  ir::Model model_;
};

inline ir::Attribute graph_attr(const std::string& name, const ir::Graph& graph) {
  ir::Attribute attr;
  attr.name = name;
  attr.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
  attr.g = graph;
  return attr;
}

}  // namespace norn::test
