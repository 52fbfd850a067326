// Trap: each Read holds the address of the field that it reads. These lie in vectors that are not resized while the
// rewriter is at work; moving a Node, as fusing does, leaves them where they are.
#include "program/rewriter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "infer/inferrer.h"
#include "norn/error.h"
#include "opset/reference.h"
#include "opset/type_check.h"
#include "program/graph_facts.h"

namespace norn::program {
namespace {

using opset::DimExpr;
using opset::ValueType;

class AroundEmitted final : public infer::Surroundings {
 public:
  std::vector<opset::Fact> infer_subgraph(std::string_view, std::span<const opset::Fact>) override {
    throw Error(ErrorCode::Internal, "a rewriter makes no nodes with graphs");
  }
  // Equalities of new nodes already hold by the nodes that they replace.
  bool take_equality(const DimExpr&, const DimExpr&, std::string_view) override { return true; }
};

using opset::has_fresh;

// The merge of two types of one value; where they are equally definite, `more` is taken.
ValueType both(const ValueType& type, const ValueType& more, const std::string& name) {
  if (!type.known()) return more;
  if (!more.known()) return type;
  const auto fail = [&] {
    throw Error(ErrorCode::Internal,
                "the value \"" + name + "\" is " + type.to_string() + " and also " + more.to_string());
  };
  if (!opset::same_type(type, more)) fail();
  if (!type.is_tensor()) return type;
  ValueType result = type;
  if (result.elem == DataType::Undefined) result.elem = more.elem;
  if (!more.shape) return result;
  if (!type.shape) {
    result.shape = more.shape;
    return result;
  }
  if (type.shape->size() != more.shape->size()) fail();
  for (std::size_t d = 0; d < more.shape->size(); ++d) {
    DimExpr& dim = (*result.shape)[d];
    const DimExpr& other = (*more.shape)[d];
    if (DimExpr::differ(dim, other)) fail();
    if (other.is_constant() || (!dim.is_constant() && (!has_fresh(other) || has_fresh(dim)))) dim = other;
  }
  return result;
}

void merge_metadata(ir::Metadata& into, const ir::Metadata& from) {
  for (const ir::StringStringEntry& entry : from)
    if (std::none_of(into.begin(), into.end(), [&](const auto& e) { return e.key == entry.key; }))
      into.push_back(entry);
}

void merge_devices(std::vector<ir::NodeDeviceConfiguration>& into,
                   const std::vector<ir::NodeDeviceConfiguration>& from) {
  for (const ir::NodeDeviceConfiguration& device : from) {
    const auto same = std::find_if(into.begin(), into.end(),
                                   [&](const auto& d) { return d.configuration_id == device.configuration_id; });
    if (same == into.end()) {
      into.push_back(device);
      continue;
    }
    for (const ir::ShardingSpec& spec : device.sharding_spec)
      if (std::none_of(same->sharding_spec.begin(), same->sharding_spec.end(),
                       [&](const auto& s) { return s.tensor_name == spec.tensor_name; }))
        same->sharding_spec.push_back(spec);
  }
}

void merge_provenance(Node& into, const Node& from) {
  into.paths.insert(into.paths.end(), from.paths.begin(), from.paths.end());
  merge_metadata(into.metadata, from.metadata);
  merge_devices(into.device_configurations, from.device_configurations);
  for (const Node& part : from.parts) merge_provenance(into, part);
}

// As lowering has them of a node of a branch or body that contradicts itself: it may never run, and is refused when it
// does.
std::vector<opset::InferContext::Output> types_of(const Graph& graph, const Node& made,
                                                  const std::vector<bool>& given) {
  infer::FactList facts;
  infer::Symbols symbols({}, "?", 0);
  std::vector<infer::ValueId> in, out;
  for (const ValueId id : made.inputs)
    in.push_back(id == kNone ? infer::kNoValue : facts.add({opset::without_shape(graph.value(id).type), {}}));
  for (const bool is_given : given) out.push_back(is_given ? facts.add() : infer::kNoValue);
  infer::Inferrer(facts, symbols, nullptr, infer::Mode::Trusted)
      .node({made.op, made.attributes(), in, out, infer::kNowhere});
  std::vector<opset::InferContext::Output> found(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i]) found[i].type = opset::without_shape(facts[out[i]].type);
  return found;
}

}  // namespace

Rewriter::Rewriter(Program& program, Graph& graph)
    : program_(program), graph_(graph), given_(static_cast<NodeId>(graph.nodes.size())), values_(graph.values.size()) {
  in_node_ =
      &graph != &program.main && std::none_of(program.graphs.begin(), program.graphs.end(),
                                              [&](const auto& beside) { return &beside.second.graph == &graph; });
  slots_.reserve(given_);
  std::size_t reads = graph.outputs.size();
  for (const Node& node : graph.nodes) reads += node.inputs.size();
  reads_.reserve(reads);
  for (NodeId id = 0; id < given_; ++id) {
    slots_.push_back({.position = id});
    add_node(id);
  }
  for (ValueId& id : graph.outputs) add_read(id, kNoNode);
}

void Rewriter::add_node(NodeId id) {
  Node& node = mutable_node(id);
  for (ValueId made : node.results())
    if (made != kNone) values_[made].producer = id;
  for_each_use(node, [&](ValueId& read) { add_read(read, id); });
}

void Rewriter::add_read(ValueId& field, NodeId node) {
  ValueInfo& info = values_[field];
  const auto at = static_cast<std::uint32_t>(reads_.size());
  std::uint32_t next_of_node = kEnd;
  if (node != kNoNode) next_of_node = std::exchange(slots_[node].first, at);
  reads_.push_back({&field, node, info.first, kEnd, next_of_node});
  if (info.first != kEnd) reads_[info.first].before = at;
  info.first = at;
  ++info.reads;
}

void Rewriter::unlink(std::uint32_t at) {
  Read& read = reads_[at];
  if (!read.field) return;
  ValueInfo& info = values_[*read.field];
  (read.before == kEnd ? info.first : reads_[read.before].next) = read.next;
  if (read.next != kEnd) reads_[read.next].before = read.before;
  --info.reads;
  read.field = nullptr;
}

bool Rewriter::is_read(const Node& node) const {
  return std::any_of(node.results().begin(), node.results().end(),
                     [&](ValueId id) { return id != kNone && values_[id].reads > 0; });
}

void Rewriter::remove(NodeId id) {
  for (std::uint32_t r = slots_[id].first; r != kEnd; r = reads_[r].next_of_node) unlink(r);
  for (ValueId made : node(id).results())
    if (made != kNone) values_[made].producer = kNoNode;
  slots_[id].is_there = false;
  changed_ = true;
}

void Rewriter::drop(NodeId id) {
  if (is_read(node(id))) throw Error(ErrorCode::Internal, "a node whose outputs are read is dropped", node(id).path());
  remove(id);
}

ValueId Rewriter::add_value(Value value) {
  values_.emplace_back();
  return graph_.add_value(std::move(value));
}

ValueId Rewriter::constant(norn::Tensor contents, std::string name) {
  Value value;
  value.name = std::move(name);
  make_constant(value, std::move(contents));
  return add_value(std::move(value));
}

void Rewriter::take_provenance(Node& node, const std::vector<NodeId>& from) const {
  if (from.empty()) return;
  node.name = this->node(from.front()).name;
  for (NodeId id : from) merge_provenance(node, this->node(id));
}

std::vector<ValueId> Rewriter::emit(const opset::Operator& op, std::vector<ir::Attribute> attributes,
                                    std::vector<ValueId> inputs, const std::vector<NodeId>& from,
                                    const std::vector<bool>& given) {
  Node made;
  made.op = &op;
  made.schema = &op.history.back();
  made.attrs = std::move(attributes);
  made.inputs = std::move(inputs);
  take_provenance(made, from);

  GraphFacts facts(graph_, given.size(), true);
  std::vector<ValueId> results(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) results[i] = given[i] ? facts.output(i) : kNone;
  infer::Symbols symbols({}, "?", program_.fresh_dims);
  AroundEmitted around;
  std::vector<opset::InferContext::Output> found;
  try {
    infer::Inferrer(facts, symbols, opset::evaluate, infer::Mode::Check)
        .node({&op, made.attributes(), made.inputs, results, infer::kNowhere}, &around);
    found = facts.take();
  } catch (Error& e) {
    if (!in_node_ || e.code() != ErrorCode::InvalidGraph) throw e.within(made.path() + " / as " + opset::full_name(op));
    found = types_of(graph_, made, given);
  }
  program_.fresh_dims = symbols.next_fresh();
  std::string of;
  if (!from.empty())
    for (ValueId id : node(from.back()).results())
      if (id != kNone && of.empty()) of = value(id).name + "_";
  for (opset::InferContext::Output& o : found) {
    if (!given[made.outputs.size()]) {
      made.outputs.push_back(kNone);
      continue;
    }
    Value result;
    result.name = of + std::string(op.name);
    result.type = std::move(o.type);
    result.known = std::move(o.value);
    made.outputs.push_back(add_value(std::move(result)));
    unnamed_.insert(made.outputs.back());
  }

  Slot slot;
  for (NodeId id : from)
    if (slot.position == kNoNode || slots_[id].position > slot.position) slot.position = slots_[id].position;
  const auto id = static_cast<NodeId>(slots_.size());
  slots_.push_back(slot);
  stands_for_.push_back(from);
  added_.push_back(std::move(made));
  add_node(id);
  changed_ = reordered_ = true;
  return added_.back().outputs;
}

void Rewriter::refine(ValueId id, const ValueType& type) {
  Value& value = graph_.value(id);
  value.type = both(value.type, type, value.name);
}

void Rewriter::replace(ValueId old, ValueId with) {
  if (old == with) return;
  const NodeId maker = producer(with), old_maker = producer(old);
  const bool is_new = maker != kNoNode && maker >= given_;
  Value& value = graph_.value(with);
  const Value& before = graph_.value(old);
  if (is_new) {
    refine(with, before.type);
    if (!value.known.known()) value.known = before.known;
    if (unnamed_.erase(with) > 0) value.name = before.name;
  } else if (!opset::same_type(value.type, before.type)) {
    throw Error(ErrorCode::Internal, "the value \"" + before.name + "\", " + before.type.to_string() +
                                         ", is replaced by \"" + value.name + "\", " + value.type.to_string());
  }

  ValueInfo &from = values_[old], &to = values_[with];
  for (std::uint32_t at = from.first; at != kEnd;) {
    const std::uint32_t next = reads_[at].next;
    if (maker == kNoNode || reads_[at].node != maker) {
      ValueId* const field = reads_[at].field;
      unlink(at);
      *field = with;
      reads_[at].field = field;
      reads_[at].next = to.first;
      reads_[at].before = kEnd;
      if (to.first != kEnd) reads_[to.first].before = at;
      to.first = at;
      ++to.reads;
    }
    at = next;
  }
  if (maker != kNoNode && (old_maker == kNoNode || maker > old_maker)) reordered_ = true;
  changed_ = true;

  const auto let_go = [&](NodeId id) {
    if (id != kNoNode && id != maker && slots_[id].is_there && !is_read(node(id))) remove(id);
  };
  let_go(old_maker);
  if (!is_new) return;
  const std::vector<NodeId>& stands_for = stands_for_[maker - given_];
  for (auto id = stands_for.rbegin(); id != stands_for.rend(); ++id) let_go(*id);
}

void Rewriter::define(ValueId id, norn::Tensor contents) {
  make_constant(graph_.value(id), std::move(contents));
  const NodeId maker = std::exchange(values_[id].producer, kNoNode);
  if (maker == kNoNode) return;
  const std::vector<ValueId>& made = node(maker).results();
  if (std::all_of(made.begin(), made.end(), [&](ValueId v) { return v == kNone || value(v).is_constant(); }))
    remove(maker);
}

NodeId Rewriter::fuse(std::span<const NodeId> chain) {
  const NodeId last = chain.back();
  Node fused = std::move(mutable_node(chain[0]));
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const ValueId running = fused.results().front();
    while (values_[running].first != kEnd) {
      const std::uint32_t read = values_[running].first;
      if (reads_[read].node != chain[i] && (i + 1 == chain.size() || reads_[read].node != chain[i + 1]))
        throw Error(ErrorCode::Internal, "a value inside of a fused node is read elsewhere", fused.path());
      unlink(read);
    }
    values_[running].producer = kNoNode;
    Node next = std::move(mutable_node(chain[i]));
    std::vector<Node> behind = std::exchange(next.parts, {});
    fused.parts.push_back(std::move(next));
    for (Node& part : behind) fused.parts.push_back(std::move(part));
  }
  mutable_node(last) = std::move(fused);
  for (NodeId id : chain.first(chain.size() - 1)) {
    slots_[id].is_there = false;
    for (std::uint32_t r = std::exchange(slots_[id].first, kEnd); r != kEnd;) {
      Read& read = reads_[r];
      read.node = last;
      const std::uint32_t next = std::exchange(read.next_of_node, slots_[last].first);
      slots_[last].first = std::exchange(r, next);
    }
  }
  changed_ = true;
  return last;
}

// Nodes in their places, each behind the makers of what it reads: these are put before it where they are not there yet.
std::vector<NodeId> Rewriter::order() const {
  std::vector<NodeId> places;  // by position
  places.reserve(slots_.size());
  std::vector<NodeId> added;
  for (NodeId id = given_; id < slots_.size(); ++id) added.push_back(id);
  std::stable_sort(added.begin(), added.end(),
                   [&](NodeId a, NodeId b) { return slots_[a].position < slots_[b].position; });
  auto next = added.begin();
  for (NodeId id = 0; id < given_; ++id) {
    places.push_back(id);
    while (next != added.end() && slots_[*next].position == id) places.push_back(*next++);
  }
  places.insert(places.end(), next, added.end());

  enum class State : std::uint8_t { Waiting, Entered, Placed };
  std::vector<State> states(slots_.size(), State::Waiting);
  std::vector<NodeId> ordered, todo;
  ordered.reserve(places.size());
  for (NodeId place : places) {
    if (slots_[place].is_there) todo.push_back(place);
    while (!todo.empty()) {
      const NodeId id = todo.back();
      if (states[id] != State::Waiting) {
        todo.pop_back();
        if (states[id] == State::Entered) ordered.push_back(id);
        states[id] = State::Placed;
        continue;
      }
      states[id] = State::Entered;
      for_each_use(node(id), [&](ValueId read) {
        const NodeId maker = producer(read);
        if (maker == kNoNode || states[maker] == State::Placed) return;
        if (states[maker] == State::Entered)
          throw Error(ErrorCode::Internal, "a rewrite has made a cycle of nodes", node(id).path());
        todo.push_back(maker);
      });
    }
  }
  return ordered;
}

void Rewriter::commit() {
  if (!changed_) return;
  std::vector<Node>& nodes = graph_.nodes;
  if (!reordered_) {
    std::erase_if(nodes,
                  [&](const Node& node) { return !slots_[static_cast<std::size_t>(&node - nodes.data())].is_there; });
    return;
  }
  std::vector<Node> ordered;
  const std::vector<NodeId> ids = order();
  ordered.reserve(ids.size());
  for (NodeId id : ids) ordered.push_back(std::move(mutable_node(id)));
  nodes = std::move(ordered);
}

}  // namespace norn::program
