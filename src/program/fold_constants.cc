// Nodes whose inputs are all constants are computed once, now: by their reference kernels, or, where there are many
// elements, by what runs the Program. What inference found out anyway (shapes, small arithmetic) becomes a constant
// without computing anything.
//
// Trap: a file of a few bytes may ask for any amount of memory, once for each node. What is folded and still read may
// add up to a few times the model's own constants and an allowance; what would go beyond it is left to runs.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/mapped_file.h"
#include "opset/reference.h"
#include "program/rewrite.h"
#include "program/rewriter.h"
#include "program/stored_weights.h"

namespace norn::program {
namespace {

constexpr std::int64_t kAllowance = std::int64_t{64} << 20;
// Beside what it comes from in the model: f64 of int8 is 8 times as large. What is larger was spelt out by an operator,
// as ConstantOfShape does, and has the allowance only.
constexpr std::int64_t kTimes = 8;

std::int64_t times(std::int64_t bytes) { return base::checked_mul(bytes, kTimes).value_or(INT64_MAX / 2); }

std::int64_t bytes_of(const norn::Tensor& contents) { return static_cast<std::int64_t>(memory_of(contents)); }

// The bytes that an element of the node's outputs may take: strings are made of input strings.
std::int64_t element_bytes(const Graph& graph, const Node& node, DataType type) {
  auto bytes = static_cast<std::int64_t>(element_size(type));
  if (type != DataType::String) return bytes;
  for (ValueId id : node.inputs) {
    if (id == kNone || graph.value(id).constant.dtype() != type) continue;
    const norn::Tensor& strings = graph.value(id).constant;
    std::size_t longest = 0;
    for (std::int64_t i = 0; i < strings.size(); ++i) longest = std::max(longest, strings.as<std::string>()[i].size());
    bytes += static_cast<std::int64_t>(longest);
  }
  return bytes;
}

// Whether planning takes less time than reference kernels.
bool is_large(const Graph& graph, const Node& node) {
  constexpr std::int64_t kMany = 1 << 14;
  for (ValueId id : node.inputs)
    if (id != kNone && graph.value(id).constant.size() >= kMany) return true;
  for (ValueId id : node.outputs) {
    if (id == kNone) continue;
    std::int64_t size = 1;
    for (const opset::DimExpr& d : *graph.value(id).type.shape)
      size = base::checked_mul(size, d.constant()).value_or(kMany);
    if (size >= kMany) return true;
  }
  return false;
}

bool is_known(const Graph& graph, const Node& node) {
  if (node.schema->determinism == opset::Determinism::NonDeterministic) return false;
  return std::all_of(node.results().begin(), node.results().end(),
                     [&](ValueId id) { return id == kNone || graph.value(id).known.constant.defined(); });
}

bool computable(const Graph& graph, const Node& node) {
  if (node.schema->determinism == opset::Determinism::NonDeterministic || !node.subgraphs.empty() ||
      !node.parts.empty())
    return false;
  if (!opset::find_reference(*node.op, node.schema->since)) return false;
  for (ValueId id : node.inputs)
    if (id != kNone && !is_const(graph, id)) return false;
  for (ValueId id : node.outputs)
    if (id != kNone && !graph.value(id).type.is_static()) return false;
  return true;
}

class Folding {
 public:
  Folding(Program& program, const ComputeNode& compute) : program_(program), compute_(compute) {
    std::unordered_set<const void*> seen;  // subgraphs share the constants of the graphs around them
    std::int64_t own = 0;
    for_each_graph(program, [&](const Graph& graph) {
      for (const Value& value : graph.values)
        if (value.is_constant() && value.constant.defined() && seen.insert(value.constant.bytes_in_place()).second)
          own = base::checked_add(own, bytes_of(value.constant)).value_or(INT64_MAX / 2);
    });
    room_ = base::checked_add(kAllowance, times(own)).value_or(INT64_MAX / 2);
  }

  void fold(Graph& graph);

 private:
  struct Folded {
    std::int64_t bytes = 0;  // that folding made
    std::int64_t basis = 0;  // bytes of the model that they were made of
    bool expanded = false;
  };
  std::int64_t basis_of(const Graph& graph, const Node& node) const;
  bool has_room(const Graph& graph, const Node& node) const;
  std::vector<norn::Value> values_of(const Graph& graph, const Node& node) const;
  std::vector<norn::Tensor> compute(const Graph& graph, const Node& node) const;
  void note(const Graph& graph, const Node& node, std::int64_t basis);

  Program& program_;
  const ComputeNode& compute_;
  std::int64_t room_;                         // for what is folded and still read
  std::int64_t room_to_expand_ = kAllowance;  // for what of it was spelt out
  std::vector<Folded> folded_;                // by ValueId
};

// How much of the node's inputs comes from the model.
std::int64_t Folding::basis_of(const Graph& graph, const Node& node) const {
  std::int64_t basis = 0;
  for (ValueId id : node.inputs) {
    if (id == kNone) continue;
    const Folded& folded = folded_[id];
    basis += folded.bytes > 0 ? folded.basis : bytes_of(graph.value(id).constant);
  }
  return basis;
}

bool Folding::has_room(const Graph& graph, const Node& node) const {
  std::int64_t out = 0;
  for (ValueId id : node.outputs) {
    if (id == kNone) continue;
    const opset::ValueType& type = graph.value(id).type;
    std::optional<std::int64_t> bytes = element_bytes(graph, node, type.elem);
    for (const opset::DimExpr& d : *type.shape) bytes = bytes ? base::checked_mul(*bytes, d.constant()) : bytes;
    const auto sum = bytes ? base::checked_add(out, *bytes) : bytes;
    if (!sum || *sum > room_) return false;
    out = *sum;
  }
  return out <= room_to_expand_ || out <= times(basis_of(graph, node));
}

std::vector<norn::Value> Folding::values_of(const Graph& graph, const Node& node) const {
  if (compute_ && is_large(graph, node)) {
    try {
      return compute_(graph, node);
    } catch (const Error&) {
      // The reference kernel says what is wrong.
    }
  }
  std::vector<norn::Value> values;
  values.reserve(node.inputs.size());
  for (ValueId id : node.inputs) values.push_back(id == kNone ? norn::Value() : norn::Value(graph.value(id).constant));
  std::vector<const norn::Value*> inputs;
  for (std::size_t i = 0; i < values.size(); ++i) inputs.push_back(node.inputs[i] == kNone ? nullptr : &values[i]);
  try {
    return opset::evaluate(*node.op, node.attributes(), inputs, static_cast<int>(node.outputs.size()));
  } catch (Error& e) {
    throw e.within(node.path());
  }
}

std::vector<norn::Tensor> Folding::compute(const Graph& graph, const Node& node) const {
  std::vector<norn::Value> outputs = values_of(graph, node);
  std::vector<norn::Tensor> contents(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (node.outputs[i] != kNone) contents[i] = std::move(outputs[i].tensor());
  return contents;
}

// The node's outputs have become constants.
void Folding::note(const Graph& graph, const Node& node, std::int64_t basis) {
  for (ValueId id : node.outputs) {
    if (id == kNone) continue;
    const auto bytes = bytes_of(graph.value(id).constant);
    folded_[id] = {bytes, std::min(bytes, basis), bytes > times(basis)};
    room_ -= bytes;
    if (folded_[id].expanded) room_to_expand_ -= bytes;
  }
}

void Folding::fold(Graph& graph) {
  const auto may_fold = [&](const Node& node) { return is_known(graph, node) || computable(graph, node); };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), may_fold)) return;
  folded_.assign(graph.values.size(), {});
  Rewriter rewriter(program_, graph);
  const auto let_go = [&](ValueId id) {
    if (id == kNone || rewriter.reads(id) > 0 || !graph.value(id).is_constant()) return;
    const Folded folded = std::exchange(folded_[id], {});
    room_ += folded.bytes;
    if (folded.expanded) room_to_expand_ += folded.bytes;
    base::release_pages(graph.value(id).constant.bytes_in_place(), graph.value(id).constant.bytes());
    release(graph.value(id));
  };
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    if (is_known(graph, node)) {
      for (ValueId id : node.results())
        if (id != kNone) rewriter.define(id, norn::Tensor(graph.value(id).known.constant));
    } else {
      if (!computable(graph, node)) return;
      if (widens_constant(rewriter, n) && is_for_products(rewriter, n)) return;
      if (!has_room(graph, node)) {
        rewriter.nearly("fold_constants", node, [&] {
          return std::string(node.op->name) +
                 " depends on constants only, but what it gives is larger than what folding may add";
        });
        return;
      }
      std::vector<norn::Tensor> contents = compute(graph, node);
      const std::int64_t basis = basis_of(graph, node);
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] != kNone) rewriter.define(node.outputs[i], std::move(contents[i]));
      note(graph, node, basis);
    }
    if (rewriter.is_there(n)) return;
    for_each_use(node, let_go);
    for (ValueId id : node.results()) let_go(id);
  });
  rewriter.commit();
}

}  // namespace

void fold_constants(Program& program, const ComputeNode& compute) {
  Folding folding(program, compute);
  for_each_graph(program, [&](Graph& graph) { folding.fold(graph); });
}

}  // namespace norn::program
