#include "program/scope.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "norn/error.h"

namespace norn::program {
namespace {

[[noreturn]] void fail(infer::FaultText fault, const std::string& where) {
  throw Error(ErrorCode::InvalidGraph, std::move(fault.message), where, std::move(fault.hint));
}

}  // namespace

ValueId Scope::find(const std::string& name) const {
  const std::uint32_t* id = ids_.find(name);
  return id ? *id : kNone;
}

bool Scope::add(const std::string& name, ValueId id, infer::Definer by) {
  definers_.push_back(by);
  return !ids_.add(names_.emplace_back(name), id);
}

void Scope::define(const std::string& name, ValueId id, infer::Definer by) {
  if (omitted_.contains(name) || !add(name, id, by)) fail_redefined(name, by);
}

infer::Definer Scope::definer(const std::string& name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return infer::Definer::Input;  // one that the call leaves out
  const infer::Definer by = definers_[static_cast<std::size_t>(at - names_.begin())];
  if (by != infer::Definer::Input || of_ == Of::Function) return by;
  const Value& value = graph_->value(find(name));
  const bool has_default = value.origin != Origin::Feed || value.constant.defined();
  return has_default ? infer::Definer::Initializer : by;
}

void Scope::fail_redefined(const std::string& name, infer::Definer by) const {
  const infer::Definer first = definer(name);
  if (first != infer::Definer::Node) fail(infer::defined_twice(name, first, by), {});
  const auto& nodes = *nodes_;
  std::size_t i = 0;  // of those up to this one, one gives it
  while (i < index_ && std::find(nodes[i].output.begin(), nodes[i].output.end(), name) == nodes[i].output.end()) ++i;
  fail(infer::made_twice(name, nodes, i), {});
}

bool Scope::in_function() const {
  const Scope* scope = this;
  while (scope->outer_) scope = scope->outer_;
  return scope->of_ == Of::Function;
}

ValueId Scope::capture(const std::string& name) {
  if (const ValueId id = find(name); id != kNone) return id;
  if (!outer_) return kNone;
  const ValueId outer = outer_->capture(name);
  if (outer == kNone) return kNone;
  if (&outer_->graph() == graph_) {
    add(name, outer, infer::Definer::Around);
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
  add(name, inner, infer::Definer::Around);
  return inner;
}

bool Scope::omits(const std::string& name) const {
  for (const Scope* s = this; s; s = s->outer_)
    if (s->omitted_.contains(name)) return true;
  return false;
}

std::string Scope::similar(const std::string& name) const {
  std::vector<std::string_view> known;
  for (const Scope* s = this; s; s = s->outer_) known.insert(known.end(), s->names_.begin(), s->names_.end());
  return infer::similar_value(name, std::move(known));
}

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
        const std::size_t owner = around->index_;
        fail(i == owner ? infer::output_of_owner(name, others, i) : infer::used_before_made(name, others, i, owner),
             where);
      }
    }
    fail(infer::undefined_value(name, in_function(), similar(name)), where);
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
    std::vector<std::size_t> way;
    std::size_t at = index;
    do {
      way.push_back(at);
      at = static_cast<std::size_t>(from[at]);
    } while (at != index);
    fail(infer::cycle(nodes, std::move(way)), where);
  }
  fail(infer::used_before_made(name, nodes, made->second, index), where);
}

}  // namespace norn::program
