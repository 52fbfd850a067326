// Facts for the inference of a node that is being put into a graph.
#pragma once
#include <utility>
#include <vector>

#include "infer/inferrer.h"
#include "program/program.h"

namespace norn::program {

// Values of the graph; the outputs of the node at hand, which has none there yet, are numbered behind them.
class GraphFacts final : public infer::Facts {
 public:
  // `stable`: inference of the node adds no values, as lowering of its subgraphs does.
  GraphFacts(const Graph& graph, std::size_t outputs, bool stable)
      : graph_(graph), first_output_(static_cast<ValueId>(graph.values.size())), outputs_(outputs), stable_(stable) {}
  opset::InferContext::Input get(ValueId id) const override {
    return {&graph_.value(id).type, &graph_.value(id).known};
  }
  void set(ValueId id, opset::InferContext::Output&& found) override {
    outputs_[id - first_output_] = std::move(found);
  }
  bool stable() const noexcept override { return stable_; }
  std::string name(ValueId id) const override { return graph_.value(id).name; }
  ValueId output(std::size_t i) const { return first_output_ + static_cast<ValueId>(i); }
  std::vector<opset::InferContext::Output> take() { return std::move(outputs_); }

 private:
  const Graph& graph_;
  ValueId first_output_;
  std::vector<opset::InferContext::Output> outputs_;
  bool stable_;
};

}  // namespace norn::program
