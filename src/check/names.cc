// Rules about names: what defines a value, what a node sees, what hides what.
//
// Names were to be C identifiers up to 2025, yet no producer kept to that: findings about the form of names are
// reported once for each graph. In a function's body the same faults bear the function's rules. Where a name is not
// defined, the rest of the document shows why: defined further down, in a cycle, in an enclosing graph after the owner,
// or nowhere.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "check/declarations.h"
#include "check/rule_checks.h"
#include "check/tensor_size.h"
#include "check/text.h"
#include "infer/name_faults.h"

namespace norn::checks {
namespace {

// The writers of the values of a list of nodes; made when a first name is not found.
struct Producers {
  TextMap<std::size_t> by_name;
  bool looked_for_cycle = false;
  std::vector<std::size_t> cycle;  // nodes that form one, if there is one
};

struct NameState {
  std::unordered_map<const void*, Producers> producers;
  NameSet graph_names;
  int suggestions = 0;
};

const std::vector<ir::Node>& nodes_here(const Context& ctx) {
  return ctx.graph() ? ctx.graph()->node : ctx.function()->node;
}

Producers& producers_of(Context& ctx, const std::vector<ir::Node>& nodes) {
  auto [at, made] = ctx.state<NameState>().producers.try_emplace(&nodes);
  if (made) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& name : nodes[i].output) at->second.by_name.try_emplace(name, i);
    }
  }
  return at->second;
}

// What a node reads, itself and in graphs that it holds, of the values with known producers.
std::vector<std::string_view> reads_of(const ir::Node& node, const Producers& producers) {
  std::vector<std::string_view> reads;
  TextSet hidden;  // values of the graphs that it holds
  std::vector<const ir::Graph*> graphs;
  const auto look = [&](const ir::Node& reader) {
    for (const std::string& name : reader.input) {
      if (!name.empty() && producers.by_name.contains(name)) reads.push_back(name);
    }
    for (const ir::Attribute& attribute : reader.attribute) {
      if (attribute.g) graphs.push_back(&*attribute.g);
      for (const ir::Graph& graph : attribute.graphs) graphs.push_back(&graph);
    }
  };
  look(node);
  const std::size_t own = reads.size();
  while (!graphs.empty()) {
    const ir::Graph& graph = *graphs.back();
    graphs.pop_back();
    for (const auto& input : graph.input) hidden.insert(input.name.get());
    for (const auto& tensor : graph.initializer) hidden.insert(tensor.name.get());
    for (const ir::Node& inner : graph.node) {
      hidden.insert(inner.output.begin(), inner.output.end());
      look(inner);
    }
  }
  reads.erase(std::remove_if(reads.begin() + static_cast<std::ptrdiff_t>(own), reads.end(),
                             [&](std::string_view name) { return hidden.contains(name); }),
              reads.end());
  return reads;
}

// The nodes of a cycle, which is reported once; none if there is no cycle. Follows producers from each node with a
// stack of its own; a node met again while it is on the stack closes a cycle.
const std::vector<std::size_t>& report_cycle(Context& ctx, const Place& node_place, const std::vector<ir::Node>& nodes,
                                             Producers& producers) {
  if (std::exchange(producers.looked_for_cycle, true)) return producers.cycle;
  enum : char { kNew, kOpen, kDone };
  std::vector<char> color(nodes.size(), kNew);
  struct Step {
    std::size_t node;
    std::vector<std::string_view> left;  // to follow
  };
  std::vector<Step> stack;
  const auto open = [&](std::size_t node) {
    color[node] = kOpen;
    stack.push_back({node, reads_of(nodes[node], producers)});
  };
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    if (color[start] == kNew) open(start);
    while (!stack.empty()) {
      auto& [node, left] = stack.back();
      if (left.empty()) {
        color[node] = kDone;
        stack.pop_back();
        continue;
      }
      const std::string_view name = left.back();
      left.pop_back();
      const std::size_t from = producers.by_name.find(name)->second;
      if (color[from] == kDone) continue;
      if (color[from] == kNew) {
        open(from);
        continue;
      }
      std::vector<std::size_t> way;
      for (auto it = stack.rbegin(); it != stack.rend(); ++it) {
        way.push_back(it->node);
        if (it->node == from) break;
      }
      producers.cycle = way;
      ctx.report("graph.acyclic", node_place.outer ? *node_place.outer : node_place,
                 infer::cycle(nodes, std::move(way)));
      return producers.cycle;
    }
  }
  return producers.cycle;
}

// What is wrong with nodes[reader], which reads what nodes[maker] gives and does not come after it; nothing if both are
// in a cycle, which is reported then.
std::optional<infer::FaultText> order_fault(Context& ctx, const Place& reader_place, std::string_view name,
                                            const std::vector<ir::Node>& nodes, std::size_t maker, std::size_t reader,
                                            Producers& producers) {
  const std::vector<std::size_t>& cycle = report_cycle(ctx, reader_place, nodes, producers);
  const auto in_cycle = [&](std::size_t node) { return std::find(cycle.begin(), cycle.end(), node) != cycle.end(); };
  if (in_cycle(maker) && in_cycle(reader)) return {};
  infer::FaultText fault = infer::used_before_made(name, nodes, maker, reader);
  if (!cycle.empty()) fault.hint.clear();  // no order helps
  return fault;
}

// The node whose graph a place is in; null if it is in none.
const Place* owner_of(const Place& place) {
  const Place* outer = place.outer;
  while (outer && std::string_view(outer->kind) != "node") outer = outer->outer;
  return outer;
}

// Reports a name that is not visible yet, but is that of a value of an enclosing graph; false for other names.
bool look_outside(Context& ctx, const Place& node_place, const Place& at, const std::string& name) {
  const auto& graphs = ctx.graphs();
  const Place* owner = &node_place;
  for (std::size_t out = 1; out < ctx.scopes().visible_frames(); ++out) {
    owner = owner_of(*owner);
    if (!owner) return false;
    const ir::Graph* graph = graphs[graphs.size() - 1 - out];
    const auto& nodes = graph ? graph->node : ctx.function()->node;
    Producers& producers = producers_of(ctx, nodes);
    const auto later = producers.by_name.find(name);
    if (later == producers.by_name.end()) continue;
    if (static_cast<std::int64_t>(later->second) == owner->index) {
      ctx.report("graph.acyclic", at, infer::output_of_owner(name, nodes, later->second));
    } else {
      const auto reader = static_cast<std::size_t>(owner->index);
      if (auto fault = order_fault(ctx, *owner, name, nodes, later->second, reader, producers))
        ctx.report("name.scope.visible-before", at, std::move(*fault));
    }
    return true;
  }
  return false;
}

// Whether an initialization reads a value of the main graph, in whose midst it is walked.
bool is_hidden(Context& ctx, const std::string& name) {
  if (ctx.graphs().empty() || ctx.scopes().visible_frames() >= ctx.graphs().size()) return false;
  const ir::Graph* main = ctx.graphs().front();
  return main && (producers_of(ctx, main->node).by_name.contains(name) || declarations_of(ctx, main).contains(name));
}

void report_undefined(Context& ctx, const Place& place, const ir::Node& node, std::size_t index, std::size_t input) {
  const std::string& name = node.input[input];
  const Place at = ctx.input(place, node, input);
  const bool in_function = ctx.function() != nullptr;
  if (!ctx.graphs().empty()) {
    const auto& nodes = nodes_here(ctx);
    Producers& producers = producers_of(ctx, nodes);
    if (const auto later = producers.by_name.find(name); later != producers.by_name.end() && later->second >= index) {
      auto fault = order_fault(ctx, place, name, nodes, later->second, index, producers);
      if (!fault) return;
      if (in_function && !ctx.graph())
        ctx.report("function.body.sorted", at, std::move(*fault));
      else
        ctx.report("graph.nodes.sorted", at, std::move(*fault));
      return;
    }
    if (look_outside(ctx, place, at, name)) return;
  }
  if (in_function) {
    ctx.report("function.body.closed", at, infer::undefined_value(name, true, did_you_mean(ctx, name)));
    return;
  }
  if (defined_by_algorithm(ctx, name)) {
    ctx.report("train.step.main-not-algo", at,
               "the main graph reads " + quoted(name) + ", which a training algorithm defines",
               "the main graph runs without training: move the node into the algorithm, or the value into the main "
               "graph");
    return;
  }
  const bool hidden = is_hidden(ctx, name);
  infer::FaultText fault = infer::undefined_value(name, false, hidden ? "" : did_you_mean(ctx, name));
  if (hidden) fault.hint = "training's initialization sees no value of the main graph";
  ctx.report("node.input.defined", at, std::move(fault));
}

void report_redefined(Context& ctx, const Place& place, const ir::Node& node, std::size_t i, const Definition& found) {
  const Place at = ctx.output(place, node, i);
  const std::string& name = node.output[i];
  const auto fault = [&](infer::Definer first) {
    if (first != infer::Definer::Node) return infer::defined_twice(name, first, infer::Definer::Node);
    return infer::made_twice(name, nodes_here(ctx), static_cast<std::size_t>(found.node));
  };
  if (found.frame != ctx.scopes().frame()) {
    if (ctx.graphs().size() == 2 && ctx.graph() && ctx.model() && !ctx.function()) {
      for (const auto& info : ctx.model()->training_info) {
        // Joined with the main graph, not nested in it: training's rules speak of such names.
        if (info.algorithm && &*info.algorithm == ctx.graph()) return;
      }
    }
    ctx.report("name.scope.no-shadow-output", at, fault(infer::Definer::Around));
    return;
  }
  if (!ctx.graph()) {
    ctx.report("function.body.ssa", at,
               fault(found.as == Defined::NodeOutput ? infer::Definer::Node : infer::Definer::Input));
  } else if (found.as == Defined::NodeOutput) {
    ctx.report("graph.ssa", at, fault(infer::Definer::Node));
  } else if (found.as == Defined::Initializer || found.also_initializer) {
    ctx.report("init.not-node-output", at, fault(infer::Definer::Initializer));
  } else {
    ctx.report("name.ns.value", at, fault(infer::Definer::Input));
  }
}

void define_value(Context& ctx, const Place& at, std::string_view name, Scopes::Name id, Definition as,
                  GraphRole role) {
  const Definition found = ctx.scopes().find(id);
  if (found.as != Defined::Nowhere && found.frame != ctx.scopes().frame() && role != GraphRole::Algorithm) {
    const std::string message = quoted(name) + " is the name of a value of an enclosing graph already, which it hides";
    if (as.as == Defined::Input)
      ctx.report("name.scope.no-shadow-input", at, message, "rename the inner one");
    else
      ctx.report("name.scope.no-shadow-initializer", at, message, "rename the inner one");
  }
  ctx.scopes().define(id, as);
}

// The initializers of one name, some of them segments.
using Parts = std::vector<std::size_t>;

// Segments share a name if they are parts of one tensor: of one type and shape, and each element in one of them.
void check_parts(Context& ctx, const Place& place, const ir::Graph& graph, Parts& parts) {
  if (parts.empty()) return;
  const auto at = [&](std::size_t i) {
    return place.of_tensor("initializer", static_cast<std::int64_t>(i), graph.initializer[i]);
  };
  const ir::Tensor& first = graph.initializer[parts[0]];
  const auto count = base::checked_count(first.dims);
  bool sound = count.has_value();
  for (const std::size_t i : parts) {
    const ir::Tensor& part = graph.initializer[i];
    if (!part.segment || !first.segment) {
      if (i == parts[0]) continue;
      ctx.report("init.unique", at(i), "two initializers have this name, and not both are segments of one tensor",
                 "give each part of the tensor a segment, or the tensors names of their own");
      sound = false;
    } else if (part.dims != first.dims || part.data_type.get() != first.data_type.get()) {
      ctx.report("init.unique", at(i),
                 "two initializers have this name; they are segments, but of tensors of different types or shapes",
                 "each segment states type and dims of the whole tensor");
      sound = false;
    } else if (!held_elements(part)) {
      sound = false;  // reported for the tensor itself
    }
  }
  if (!sound) return;
  std::stable_sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) {
    return graph.initializer[a].segment->begin.get() < graph.initializer[b].segment->begin.get();
  });
  std::int64_t end = 0;
  const auto gap = [&](std::size_t i, std::int64_t to) {
    ctx.report("tensor.storage.count-enough", at(i),
               (to == end + 1 ? "element " + std::to_string(end) + " is"
                              : "elements " + std::to_string(end) + " to " + std::to_string(to - 1) + " are") +
                   " in no segment; the tensor has " + std::to_string(*count) + " elements",
               "the segments of one name have to make up the whole tensor");
  };
  for (const std::size_t i : parts) {
    const ir::Segment& segment = *graph.initializer[i].segment;
    if (segment.begin.get() < end && segment.end.get() > segment.begin.get()) {
      ctx.report("init.unique", at(i),
                 "two initializers have this name, and element " + std::to_string(segment.begin.get()) +
                     " is in the segments of both",
                 "segments of one tensor do not overlap");
      return;
    }
    if (segment.begin.get() > end) return gap(i, segment.begin.get());
    end = std::max(end, segment.end.get());
  }
  if (end < *count) gap(parts.back(), *count);
}

}  // namespace

std::string did_you_mean(Context& ctx, std::string_view name) {
  if (ctx.state<NameState>().suggestions++ >= 20) return {};
  const std::vector<std::string> visible = ctx.scopes().visible_names();
  return infer::similar_value(name, {visible.begin(), visible.end()});
}

void define_formals(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role,
                    const Initializers& initializers) {
  Scopes& scopes = ctx.scopes();
  for (std::size_t i = 0; i < graph.input.size(); ++i) {
    const std::string& name = graph.input[i].name.get();
    if (name.empty()) continue;
    if (scopes.defined_here(name)) {
      ctx.report("graph.io.unique-inputs", place.value("input", i, graph.input[i]),
                 infer::defined_twice(name, infer::Definer::Input, infer::Definer::Input));
      continue;
    }
    define_value(ctx, place.value("input", i, graph.input[i]), name, scopes.intern(name),
                 {.as = Defined::Input, .node = static_cast<std::int32_t>(i)}, role);
  }
  std::size_t overridable = 0;
  std::string_view example;
  const bool must_be_inputs = ctx.binds("init.must-be-input");
  TextMap<Parts> in_parts;
  for (const std::size_t i : initializers.parts) in_parts.try_emplace(initializers.names[i]);
  // `whole` is the tensor itself, or the values of a sparse one.
  const auto initializer = [&](const Place& at, std::string_view name, Scopes::Name id, const ir::Tensor& whole,
                               const ir::SparseTensor* sparse) {
    if (name.empty()) return;
    Definition found = scopes.find(id);
    const bool here = found.as != Defined::Nowhere && found.frame == scopes.frame();
    if (here && (found.as == Defined::Initializer || found.also_initializer)) {
      if (!sparse && in_parts.contains(name)) return;
      infer::FaultText fault = infer::defined_twice(name, infer::Definer::Initializer, infer::Definer::Initializer);
      if (sparse)
        ctx.report("init.unique-sparse", at, std::move(fault));
      else
        ctx.report("init.unique", at, std::move(fault));
      return;
    }
    if (here) {
      check_default(ctx, at, whole.data_type, sparse ? sparse->dims : whole.dims,
                    graph.input[static_cast<std::size_t>(found.node)]);
      found.also_initializer = true;
      if (overridable++ == 0) example = name;
      scopes.define(id, found);
      return;
    }
    if (must_be_inputs) {
      ctx.report("init.must-be-input", at,
                 "up to IR 3 every initializer is also an input of its graph; this one is not",
                 "list it as an input, or set ir_version to 4 or more");
    }
    define_value(ctx, at, name, id, {.as = Defined::Initializer}, role);
  };
  constexpr std::size_t kAtOnce = 64;
  base::TextKey keys[kAtOnce];
  Scopes::Name numbers[kAtOnce];
  const std::span<const std::string_view> all = initializers.names;
  for (std::size_t from = 0; from < all.size(); from += kAtOnce) {
    const auto names = all.subspan(from, std::min(kAtOnce, all.size() - from));
    scopes.prepare(names, keys);
    scopes.intern(names, keys, numbers);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ir::Tensor& tensor = graph.initializer[from + i];
      initializer(place.of_tensor("initializer", static_cast<std::int64_t>(from + i), tensor), names[i], numbers[i],
                  tensor, nullptr);
      if (in_parts.empty() || names[i].empty()) continue;
      if (const auto parts = in_parts.find(names[i]); parts != in_parts.end()) parts->second.push_back(from + i);
    }
  }
  for (const std::size_t i : initializers.parts) {
    if (initializers.names[i].empty()) continue;
    Parts& parts = in_parts.find(initializers.names[i])->second;
    check_parts(ctx, place, graph, parts);
    parts.clear();  // looked at
  }
  for (std::size_t i = 0; i < graph.sparse_initializer.size(); ++i) {
    const ir::SparseTensor& sparse = graph.sparse_initializer[i];
    if (!sparse.values) continue;
    initializer(place.at("sparse_initializer", static_cast<std::int64_t>(i), sparse.values->name.get()),
                sparse.values->name.get(), scopes.intern(sparse.values->name.get()), *sparse.values, &sparse);
  }
  if (overridable > 0 && role != GraphRole::Nested) {
    ctx.report("init.constant-not-input", place,
               std::to_string(overridable) + " initializers are inputs too, so that callers may override them and " +
                   "optimisers must not fold them; the first is " + quoted(example),
               "leave those that are constants out of the inputs");
  }
}

NodeValues::NodeValues(Context& ctx, const std::vector<ir::Node>& nodes) : scopes_(ctx.scopes()), nodes_(nodes) {}

void NodeValues::prepare() {
  constexpr std::size_t kNodes = 16;
  texts_.clear();
  // A large graph is not in the cache: the nodes after the next ones are prefetched, then the next ones' values.
  for (std::size_t i = prepared_ + kNodes; i < std::min(nodes_.size(), prepared_ + 2 * kNodes); ++i) {
    base::fetch(&nodes_[i], sizeof(ir::Node));
  }
  for (std::size_t i = prepared_; i < std::min(nodes_.size(), prepared_ + kNodes); ++i) {
    const ir::Node& node = nodes_[i];
    base::fetch(node.input.data(), std::min<std::size_t>(node.input.size(), 8) * sizeof(std::string));
    base::fetch(node.output.data(), std::min<std::size_t>(node.output.size(), 8) * sizeof(std::string));
  }
  for (const std::size_t end = std::min(nodes_.size(), prepared_ + kNodes); prepared_ < end; ++prepared_) {
    const ir::Node& node = nodes_[prepared_];
    texts_.insert(texts_.end(), node.input.begin(), node.input.end());
    texts_.insert(texts_.end(), node.output.begin(), node.output.end());
  }
  keys_.resize(texts_.size());
  scopes_.prepare(texts_, keys_);
}

std::span<const Scopes::Name> NodeValues::of(std::size_t i) {
  if (i == 0) prepare();
  if (i == known_) {
    numbers_.resize(texts_.size());
    scopes_.intern(texts_, keys_, numbers_);
    known_ = prepared_;
    next_ = 0;
    prepare();
  }
  const std::size_t count = nodes_[i].input.size() + nodes_[i].output.size();
  next_ += count;
  return std::span(numbers_).subspan(next_ - count, count);
}

void check_node_values(Context& ctx, const Place& place, const ir::Node& node, std::size_t index,
                       std::span<const Scopes::Name> values) {
  Scopes& scopes = ctx.scopes();
  for (std::size_t i = 0; i < node.input.size(); ++i) {
    if (node.input[i].empty() || scopes.open()) continue;
    if (scopes.find(values[i]).as == Defined::Nowhere) report_undefined(ctx, place, node, index, i);
  }
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    const Scopes::Name name = values[node.input.size() + i];
    const Definition found = scopes.find(name);
    if (found.as != Defined::Nowhere) report_redefined(ctx, place, node, i, found);
    scopes.define(name, {.as = Defined::NodeOutput, .node = static_cast<std::int32_t>(index)});
  }
}

void NameForms::look(std::string_view name) {
  if (name.empty()) return;
  ++names_;
  if (!is_c_identifier(name) && odd_++ == 0) example_ = name;
}

void NameForms::look(const ir::Node& node) {
  for (const std::string& output : node.output) look(output);
  look(node.name.get());
  // In the default domain the signature check reports attributes that it has not.
  if (ir::canonical_domain(node.domain.get()).empty()) return;
  for (const ir::Attribute& attribute : node.attribute) look(attribute.name.get());
}

void NameForms::report(Context& ctx, const Place& place) const {
  if (odd_ == 0) return;
  ctx.report("name.c90", place,
             std::to_string(odd_) + " of " + std::to_string(names_) + " names are not C identifiers, the first is " +
                 quoted(example_),
             "tools that generate code may need letters, digits and underscores");
}

void check_function_names(Context& ctx, const Place& place, const ir::Function& function) {
  NameForms forms;
  forms.look(function.name.get());
  for (const auto* names : {&function.input, &function.attribute}) {
    for (const std::string& name : *names) forms.look(name);
  }
  for (const ir::Attribute& attribute : function.attribute_proto) forms.look(attribute.name.get());
  for (const ir::Node& node : function.node) forms.look(node);
  forms.report(ctx, place);
}

void GraphNames::gather() {
  forms_.look(graph_.name.get());
  for (const auto& input : graph_.input) forms_.look(input.name.get());
  for (const auto& tensor : graph_.initializer) forms_.look(tensor.name.get());
  for (const auto& sparse : graph_.sparse_initializer) {
    if (sparse.values) forms_.look(sparse.values->name.get());
  }
  RepeatFilter filter(std::min<std::size_t>(graph_.node.size(), 1u << 22));
  TextSet perhaps_repeated;
  for (const ir::Node& node : graph_.node) {
    forms_.look(node);
    const std::string& name = node.name.get();
    if (!name.empty() && filter.seems_repeated(name)) perhaps_repeated.insert(name);
  }
  if (perhaps_repeated.empty()) return;
  NameSet met;
  for (std::size_t i = 0; i < graph_.node.size(); ++i) {
    const std::string& name = graph_.node[i].name.get();
    if (perhaps_repeated.contains(name) && !met.insert(name)) repeated_.push_back(i);
  }
}

void GraphNames::report(Context& ctx, const Place& place) const {
  for (const std::size_t i : repeated_) {
    ctx.report("name.ns.node", place.node(graph_.node[i], i), "another node of the graph has this name too",
               "name nodes differently, or not at all");
  }
  forms_.report(ctx, place);
}

void check_graph_name(Context& ctx, const Place& place, const ir::Graph& graph) {
  const std::string& name = graph.name.get();
  if (name.empty() || ctx.state<NameState>().graph_names.insert(name)) return;
  ctx.report("name.ns.graph", place, "another graph of the model is named " + quoted(name) + " too");
}

}  // namespace norn::checks
