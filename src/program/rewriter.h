// Changes to one graph of a Program. Nodes are made, values are replaced, and replaced ones are removed; the rewriter
// knows the maker and the readers of each value throughout, and puts the nodes in order at the end.
//
//   Rewriter rewriter(program, graph);
//   rewriter.each([&](NodeId n) {
//     const ValueId y = rewriter.emit(ops::Mul, {}, {x, rewriter.constant(two, "two")}, {n});
//     rewriter.replace(rewriter.node(n).outputs[0], y);
//   });
//   rewriter.commit();
//
// Making one takes time in proportion to the graph, a change in proportion to what it concerns, and commit() again in
// proportion to the graph.
//
// Traps: graph() and node() show every change at once, but references to values are invalidated when one is added. The
// Program is unusable if something throws between the first change and the end of commit().
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/program.h"

namespace norn::program {

// A node during the work of a Rewriter: it keeps its number when others are added or removed.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffu;

class Rewriter {
 public:
  Rewriter(Program& program, Graph& graph);

  const Graph& graph() const noexcept { return graph_; }
  const Value& value(ValueId id) const { return graph_.value(id); }
  const Node& node(NodeId id) const { return id < given_ ? graph_.nodes[id] : added_[id - given_]; }
  bool is_there(NodeId id) const { return id < slots_.size() && slots_[id].is_there; }
  // Calls f(NodeId) for the nodes that the graph had, in order, without those that have been removed by then.
  template <class F>
  void each(F&& f) const {
    for (NodeId id = 0; id < given_; ++id)
      if (slots_[id].is_there) f(id);
  }
  // The same, last to first.
  template <class F>
  void each_backward(F&& f) const {
    for (NodeId id = given_; id-- > 0;)
      if (slots_[id].is_there) f(id);
  }

  // The node that makes the value; kNoNode for feeds, constants, states and captures.
  NodeId producer(ValueId id) const { return values_[id].producer; }
  // How many reads of the value there are: by nodes and their parts (one that reads it twice counts twice), by captures
  // of their subgraphs, and by the graph's outputs.
  std::size_t reads(ValueId id) const { return values_[id].reads; }
  // Calls f(NodeId) for each read, in no order; kNoNode is an output of the graph.
  template <class F>
  void readers(ValueId id, F&& f) const {
    for (std::uint32_t r = values_[id].first; r != kEnd; r = reads_[r].next) f(reads_[r].node);
  }
  // The node that reads the value if there is one read and a node does it; else kNoNode.
  NodeId only_reader(ValueId id) const { return values_[id].reads == 1 ? reads_[values_[id].first].node : kNoNode; }

  ValueId constant(norn::Tensor contents, std::string name);
  // A new node of the operator's newest version, and its outputs, with what inference finds out about them. It stands
  // in for the nodes `from`: it has their places in the document, their metadata and device configurations, and the
  // first one's name, and it stands where the last of them stood. Without `from` it stands before what reads it.
  // Throws norn::Error (InvalidGraph) for inputs that the operator does not take; in a branch or body, which may
  // contradict itself where it never runs, for types that it does not take.
  std::vector<ValueId> emit(const opset::Operator& op, std::vector<ir::Attribute> attributes,
                            std::vector<ValueId> inputs, const std::vector<NodeId>& from, std::size_t outputs) {
    return emit(op, std::move(attributes), std::move(inputs), from, std::vector<bool>(outputs, true));
  }
  // With only the outputs that are `given`; the others are kNone.
  std::vector<ValueId> emit(const opset::Operator& op, std::vector<ir::Attribute> attributes,
                            std::vector<ValueId> inputs, const std::vector<NodeId>& from,
                            const std::vector<bool>& given);
  ValueId emit(const opset::Operator& op, std::vector<ir::Attribute> attributes, std::vector<ValueId> inputs,
               const std::vector<NodeId>& from) {
    return emit(op, std::move(attributes), std::move(inputs), from, 1)[0];
  }

  // All that read `old` read `with` instead, apart from the node that makes `with`. The two have the same contents: if
  // `with` is an output of emit(), it takes the name, and what is known of `old`. The node that made `old`, and those
  // that the maker of `with` stands in for, go unless something reads another of their outputs. Throws norn::Error
  // (Internal) if their types contradict.
  void replace(ValueId old, ValueId with);
  // The value is a constant from now on. The node that made it goes when all its outputs have become constants.
  void define(ValueId id, norn::Tensor contents);
  // The value's type is also `type`: takes over what that says beyond its own.
  void refine(ValueId id, const opset::ValueType& type);
  // Makes one node of the chain, in which each reads the first output of the one before, which nothing but the one
  // behind may read as well. It stands where the last of them stood. Parts of theirs are parts of it.
  NodeId fuse(std::span<const NodeId> chain);
  // Removes a node whose outputs have no readers.
  void drop(NodeId id);

  // Notes that the pass left the node as it is although it nearly fits. `reason` is called if there is room for it.
  template <class F>
  void nearly(std::string_view pass, const Node& node, F&& reason) {
    if (program_.near_misses.size() < Program::kMostNearMisses)
      program_.near_misses.push_back({node.path(), std::string(pass), reason()});
    else
      ++program_.more_near_misses;
  }

  // Erases removed nodes and inserts new ones: each behind the makers of what it reads and before its readers; all
  // others keep their order. No function may be called after it.
  void commit();

 private:
  static constexpr std::uint32_t kEnd = 0xffffffffu;
  // A place that holds a ValueId: an input, a capture or an output of the graph.
  struct Read {
    ValueId* field;
    NodeId node;                 // kNoNode: the graph's outputs
    std::uint32_t next, before;  // reads of the same value
    std::uint32_t next_of_node;  // reads by the same node
  };
  struct ValueInfo {
    NodeId producer = kNoNode;
    std::uint32_t reads = 0, first = kEnd;
  };
  struct Slot {
    bool is_there = true;
    NodeId position = kNoNode;   // the given node in whose place it stands
    std::uint32_t first = kEnd;  // its reads
  };

  Node& mutable_node(NodeId id) { return id < given_ ? graph_.nodes[id] : added_[id - given_]; }
  ValueId add_value(Value value);
  void add_node(NodeId id);
  void add_read(ValueId& field, NodeId node);
  void unlink(std::uint32_t read);
  bool is_read(const Node& node) const;
  void remove(NodeId id);
  void take_provenance(Node& node, const std::vector<NodeId>& from) const;
  std::vector<NodeId> order() const;

  Program& program_;
  Graph& graph_;
  bool in_node_ = false;  // whether the graph is a branch or a body
  const NodeId given_;    // how many nodes the graph had
  std::deque<Node> added_;
  std::vector<std::vector<NodeId>> stands_for_;  // of each that was added
  std::vector<Slot> slots_;
  std::vector<ValueInfo> values_;
  std::vector<Read> reads_;
  std::unordered_set<ValueId> unnamed_;  // outputs of emit() that have replaced nothing yet
  bool changed_ = false, reordered_ = false;
};

}  // namespace norn::program
