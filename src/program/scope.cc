#include "program/scope.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/nearest.h"
#include "base/text.h"
#include "ir/walk.h"
#include "norn/error.h"

namespace norn::program {

ValueId Scope::find(const std::string& name) const {
  const std::uint32_t* id = ids_.find(name);
  return id ? *id : kNone;
}

bool Scope::add(const std::string& name, ValueId id) { return !ids_.add(names_.emplace_back(name), id); }

void Scope::define(const std::string& name, ValueId id) {
  if (omitted_.contains(name) || !add(name, id))
    throw Error(ErrorCode::InvalidGraph, "the value \"" + name + "\" is defined more than once", {},
                "give each node output a name of its own");
}

ValueId Scope::capture(const std::string& name) {
  if (const ValueId id = find(name); id != kNone) return id;
  if (!outer_) return kNone;
  const ValueId outer = outer_->capture(name);
  if (outer == kNone) return kNone;
  if (&outer_->graph() == graph_) {
    add(name, outer);
    return outer;
  }
  const Value& source = outer_->graph().value(outer);
  Value value;
  value.name = name;
  value.type = source.type;
  value.known = source.known;
  if (source.is_constant()) {  // constants need no passing in: they are shared
    value.origin = Origin::Constant;
    value.constant = source.constant;
  } else {
    value.origin = Origin::Capture;
  }
  const bool is_capture = value.origin == Origin::Capture;
  const ValueId inner = graph_->add_value(std::move(value));
  if (is_capture) graph_->captures.push_back({outer, inner});
  add(name, inner);
  return inner;
}

bool Scope::omits(const std::string& name) const {
  for (const Scope* s = this; s; s = s->outer_)
    if (s->omitted_.contains(name)) return true;
  return false;
}

std::string Scope::similar(const std::string& name) const {
  std::vector<std::string_view> known;  // in an order of their own: of names as near the same one is always found
  for (const Scope* s = this; s; s = s->outer_) known.insert(known.end(), s->names_.begin(), s->names_.end());
  std::sort(known.begin(), known.end());
  base::Nearest nearest(name);
  for (const std::string_view other : known) nearest.offer(other);
  return nearest.question();
}

namespace {

[[noreturn]] void fail_used_before(const std::string& name, const ir::Node& maker, std::size_t index,
                                   const std::string& where, const std::string& user) {
  const std::string made = ir::describe_node(maker, index);
  throw Error(ErrorCode::InvalidGraph, "the value \"" + name + "\" is used before it is made: " + made + " makes it",
              where,
              "list the nodes so that each uses only values made before it: " + made + " has to come before " + user);
}

}  // namespace

void Scope::fail_undefined(std::size_t input) const {
  const std::vector<ir::Node>& nodes = *nodes_;
  const std::size_t index = index_;
  const std::string& name = nodes[index].input[input];
  const std::string where = "input " + std::to_string(input) + " \"" + name + "\"";
  std::unordered_map<std::string_view, std::size_t> maker;
  for (std::size_t i = index; i < nodes.size(); ++i)
    for (const std::string& out : nodes[i].output)
      if (!out.empty()) maker.emplace(out, i);
  const auto made = maker.find(name);
  if (made == maker.end()) {
    for (const Scope* around = outer_; around; around = around->outer_) {
      if (!around->nodes_) continue;
      const std::vector<ir::Node>& others = *around->nodes_;
      for (std::size_t i = around->index_; i < others.size(); ++i) {
        const auto& outputs = others[i].output;
        if (std::find(outputs.begin(), outputs.end(), name) == outputs.end()) continue;
        if (i != around->index_)
          fail_used_before(name, others[i], i, where, ir::describe_node(others[around->index_], around->index_));
        throw Error(ErrorCode::InvalidGraph,
                    "the value \"" + name + "\" is an output of " + ir::describe_node(others[i], i) +
                        ", which is not there before its graphs have run",
                    where, "let the graph read a value of its own, or one made before that node");
      }
    }
    const std::string close = similar(name);
    throw Error(ErrorCode::InvalidGraph, "nothing makes the value \"" + name + "\"", where,
                (close.empty() ? "" : close + " ") +
                    "it is not a graph input, an initializer or the output of a node that can be seen here");
  }
  // From the maker back through its inputs: if this node is reached, the nodes form a cycle.
  std::vector<int> from(nodes.size(), -1);
  std::vector<std::size_t> todo{made->second};
  from[made->second] = static_cast<int>(index);
  while (!todo.empty()) {
    const std::size_t at = todo.back();
    todo.pop_back();
    if (at == index) break;
    for (const std::string& in : nodes[at].input) {
      const auto m = maker.find(in);
      if (m == maker.end() || from[m->second] >= 0) continue;
      from[m->second] = static_cast<int>(at);
      todo.push_back(m->second);
    }
  }
  if (from[index] >= 0) {
    std::string cycle = ir::describe_node(nodes[index], index);
    std::size_t at = index;
    for (std::size_t guard = 0; guard <= nodes.size(); ++guard) {
      at = static_cast<std::size_t>(from[at]);
      cycle += " -> " + ir::describe_node(nodes[at], at);
      if (at == index) break;
    }
    throw Error(ErrorCode::InvalidGraph, "the nodes form a cycle: " + cycle, where,
                "let one of these nodes read another value: a value cannot depend on itself; what is carried from one "
                "time to the next needs a Loop or Scan");
  }
  fail_used_before(name, nodes[made->second], made->second, where, ir::describe_node(nodes[index], index));
}

}  // namespace norn::program
