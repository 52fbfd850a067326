// Nodes that compute what an earlier one has computed: exporters write the mask of attention once for each layer, and
// the passes before this one add to that.
//
// Values get numbers, equal ones for equal contents: of constants by their contents, of others by the operator, its
// attributes and the numbers of what it reads. So nodes that only move elements are seen through, but stay: to move
// them twice costs little, or nothing where it is a view, and passes that follow join them to what reads them. So do
// DequantizeLinear nodes.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "ops/microsoft/matmul_nbits/matmul_nbits.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "opset/type_check.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {
namespace {

constexpr std::size_t kLargestCompared = 64;  // bytes of a constant; larger ones are equal if they are the same memory

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

bool is_plain(const ir::Attribute& a) {
  switch (a.kind()) {
    case ir::AttributeType::Float:
    case ir::AttributeType::Int:
    case ir::AttributeType::String:
    case ir::AttributeType::Floats:
    case ir::AttributeType::Ints:
    case ir::AttributeType::Strings: return !a.ref_attr_name.has();
    default: return false;
  }
}

// Of plain attributes. NaN is equal to itself, -0 not to 0.
bool same_attribute(const ir::Attribute& a, const ir::Attribute& b) {
  const auto same_floats = [](const std::vector<float>& x, const std::vector<float>& y) {
    return std::ranges::equal(x, y, same_bits<float>);
  };
  return a.name == b.name && a.kind() == b.kind() && a.i == b.i && a.s == b.s && same_bits(a.f.get(), b.f.get()) &&
         a.ints == b.ints && a.strings == b.strings && same_floats(a.floats.value(), b.floats.value());
}

class Duplicates {
 public:
  explicit Duplicates(const Graph& graph)
      : graph_(graph),
        number_(graph.values.size()),
        slots_(std::bit_ceil(2 * graph.nodes.size() + 1), kNoNode),
        hashes_(graph.nodes.size()) {
    for (ValueId id = 0; id < number_.size(); ++id) number_[id] = id;
    std::unordered_map<std::string, ValueId> constants;
    for (ValueId id = 0; id < number_.size(); ++id)
      if (graph.value(id).is_constant() && graph.value(id).constant.defined())
        number_[id] = constants.try_emplace(contents(graph.value(id).constant), id).first->second;
    std::unordered_map<ValueId, ValueId> outer;
    for (const Graph::Capture& capture : graph.captures)
      number_[capture.inner] = outer.try_emplace(capture.outer, capture.inner).first->second;
    for (NodeId n = 0; n < graph.nodes.size(); ++n) look_at(n);
  }

  // Nodes, and the earlier ones that they repeat.
  const std::vector<std::pair<NodeId, NodeId>>& found() const { return found_; }

 private:
  static std::string contents(const norn::Tensor& t) {
    std::string key(reinterpret_cast<const char*>(t.dims().data()), t.dims().size() * sizeof(std::int64_t));
    key += static_cast<char>(t.dims().size());
    key += static_cast<char>(t.dtype());
    const std::size_t bytes = t.dtype() == DataType::String ? kLargestCompared + 1 : memory_of(t);
    if (bytes <= kLargestCompared) return key.append(static_cast<const char*>(t.data()), bytes);
    const void* const at = t.bytes_in_place();
    return key.append(reinterpret_cast<const char*>(&at), sizeof at);
  }

  ValueId number(ValueId id) const { return id == kNone ? kNone : number_[id]; }

  std::uint64_t hash(const Node& node) {
    key_.assign(reinterpret_cast<const char*>(&node.op), sizeof node.op);
    const auto add = [&](const auto& v) { key_.append(reinterpret_cast<const char*>(&v), sizeof v); };
    for (const ValueId id : node.inputs) add(number(id));
    std::uint64_t numbers = 0;  // of attributes, in whatever order they stand
    for (const ir::Attribute& a : node.attrs) {
      std::uint64_t own = static_cast<std::uint64_t>(a.i.get());
      for (const std::int64_t i : a.ints) own = own * 31 + static_cast<std::uint64_t>(i);
      numbers += own;
    }
    add(numbers);
    return base::hash_of(key_, base::process_secret());
  }

  bool same(const Node& a, const Node& b) const {
    // Operators may share a schema.
    if (a.op != b.op || a.schema != b.schema || a.inputs.size() != b.inputs.size() ||
        a.outputs.size() != b.outputs.size() || a.attrs.size() != b.attrs.size() ||
        ops::microsoft::may_round_to_int8(a.metadata) != ops::microsoft::may_round_to_int8(b.metadata))
      return false;
    for (std::size_t i = 0; i < a.inputs.size(); ++i)
      if (number(a.inputs[i]) != number(b.inputs[i])) return false;
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
      if ((a.outputs[i] == kNone) != (b.outputs[i] == kNone)) return false;
      if (a.outputs[i] != kNone && !opset::same_type(graph_.value(a.outputs[i]).type, graph_.value(b.outputs[i]).type))
        return false;
    }
    return std::ranges::all_of(a.attrs, [&](const ir::Attribute& x) {
      return std::ranges::any_of(b.attrs, [&](const ir::Attribute& y) { return same_attribute(x, y); });
    });
  }

  void look_at(NodeId n) {
    const Node& node = graph_.nodes[n];
    if (node.schema->determinism == opset::Determinism::NonDeterministic || !node.subgraphs.empty() ||
        !node.parts.empty() || !node.device_configurations.empty() || node.inputs.empty() ||
        !std::ranges::all_of(node.attrs, is_plain))
      return;
    const std::uint64_t h = hash(node);
    hashes_[n] = h;
    std::size_t slot = h & (slots_.size() - 1);
    for (; slots_[slot] != kNoNode; slot = (slot + 1) & (slots_.size() - 1)) {
      const NodeId earlier = slots_[slot];
      const Node& other = graph_.nodes[earlier];
      if (hashes_[earlier] != h || !same(node, other)) continue;
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] != kNone) number_[node.outputs[i]] = number_[other.outputs[i]];
      if (node.op->moves == opset::Movement::None && node.op != &ops::DequantizeLinear) found_.push_back({n, earlier});
      return;
    }
    slots_[slot] = n;
  }

  const Graph& graph_;
  std::vector<ValueId> number_;
  // A hash table with open addressing, of nodes that repeat none; at most half of it is full.
  std::vector<NodeId> slots_;
  std::vector<std::uint64_t> hashes_;  // by node
  std::string key_;
  std::vector<std::pair<NodeId, NodeId>> found_;
};

}  // namespace

void merge_duplicates(Program& program, Graph& graph) {
  const Duplicates duplicates(graph);
  if (duplicates.found().empty()) return;
  Rewriter rewriter(program, graph);
  for (const auto& [node, earlier] : duplicates.found()) {
    const std::vector<ValueId> from = rewriter.node(node).outputs, to = rewriter.node(earlier).outputs;
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] != kNone) rewriter.replace(from[i], to[i]);
  }
  rewriter.commit();
}

}  // namespace norn::program
