#include "infer/signature.h"

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "opset/attrs.h"

namespace norn::infer {

using base::quoted;

namespace {

std::string of_version(const opset::Operator& op, const opset::Schema& schema) {
  return opset::full_name(op) + " version " + std::to_string(schema.since);
}

std::string type_name(ir::AttributeType type) { return std::string(ir::attribute_type_name(type)); }

std::string range(int least, int most) {
  if (least == most) return std::to_string(least);
  if (most == opset::kUnbounded) return "at least " + std::to_string(least);
  return std::to_string(least) + " to " + std::to_string(most);
}

std::string nearest_attribute(const opset::Schema& schema, std::string_view name) {
  const auto lower = [](std::string_view text) {
    std::string out;
    for (char c : text) {
      if (c != '_') out += base::lower(c);
    }
    return out;
  };
  const std::string wanted = lower(name);
  for (const opset::Attr& attr : schema.attrs) {
    const std::string have = lower(attr.name);
    // Equal but for case and underscores, or the one the other's beginning or end.
    const auto& longer = have.size() > wanted.size() ? have : wanted;
    const auto& shorter = have.size() > wanted.size() ? wanted : have;
    if (shorter.size() < 3 || shorter.size() * 2 < longer.size()) continue;
    std::size_t head = 0, tail = 0;
    while (head < shorter.size() && shorter[head] == longer[head]) ++head;
    while (tail < shorter.size() - head && shorter[shorter.size() - 1 - tail] == longer[longer.size() - 1 - tail]) {
      ++tail;
    }
    if (head + tail + 1 >= shorter.size() && longer.size() - shorter.size() <= 3) {
      return "did you mean " + quoted(attr.name) + "?";
    }
  }
  return {};
}

// Another version has the attribute, or had; else a name like it, and those that there are.
std::string unknown_attribute_hint(const opset::Operator& op, const opset::Schema& schema, std::string_view name) {
  const auto has_input = [&](const opset::Schema& row) {
    return std::any_of(row.inputs.begin(), row.inputs.end(), [&](const opset::Param& p) { return p.name == name; });
  };
  const auto has_attribute = [&](const opset::Schema& row) { return !row.deprecated && opset::find_attr(row, name); };
  // The versions, of those that stand together, which have it: the last before this one, and the next after it.
  int input_since = 0, dropped = 0, from = 0, until = 0;
  bool had = false;
  for (const auto& row : op.history) {
    const bool has = has_attribute(row);
    if (row.since <= schema.since) {
      if (!has_input(row))
        input_since = 0;
      else if (input_since == 0)
        input_since = row.since;
      if (had && !has) dropped = row.since;
      had = has;
    } else if (from == 0 ? has : !has) {
      if (from != 0) {
        until = row.since;
        break;
      }
      from = row.since;
    }
  }
  if (input_since > 0) {
    std::size_t position = 0;
    while (schema.inputs[position].name != name) ++position;
    return "since opset " + std::to_string(input_since) + " " + quoted(name) + " is an input: give it as input " +
           std::to_string(position);
  }
  if (dropped > 0) return "it was dropped in opset " + std::to_string(dropped);
  if (until > 0) {
    return until - from == 1 ? "opset " + std::to_string(from) + " alone has it"
                             : "only opsets " + std::to_string(from) + " to " + std::to_string(until - 1) + " have it";
  }
  if (from > 0) return "it exists from opset " + std::to_string(from) + " on: import that";
  std::string hint = nearest_attribute(schema, name);
  if (hint.empty()) {
    base::Nearest nearest(name);
    for (const opset::Attr& attr : schema.attrs) nearest.offer(attr.name);
    hint = nearest.question();
  }
  std::string names;
  for (const opset::Attr& attr : schema.attrs) names += (names.empty() ? "" : ", ") + std::string(attr.name);
  if (names.empty()) return "it has none: leave the attribute out";
  return hint + (hint.empty() ? "it has " : " it has ") + names;
}

std::string missing_input(std::size_t index, const opset::Param& param) {
  return "input " + std::to_string(index) + " \"" + std::string(param.name) + "\" is missing";
}

// What the version's inputs or outputs are, and which version of the operator would take as many as there are.
std::string count_hint(bool inputs, std::size_t given, const opset::Operator& op, const opset::Schema& schema) {
  const auto params = [&](const opset::Schema& s) { return inputs ? s.inputs : s.outputs; };
  std::string names;
  for (const opset::Param& p : params(schema)) {
    names += (names.empty() ? "" : ", ") + std::string(p.name);
    if (p.option == opset::ParamOption::Optional) names += " (optional)";
    if (p.option == opset::ParamOption::Variadic) names += ", ...";
  }
  std::string hint = std::string(inputs ? "its inputs are " : "its outputs are ") + (names.empty() ? "none" : names);
  const auto takes = [&](const opset::Schema& row) {
    const int least = inputs ? opset::min_inputs(row) : opset::min_outputs(row);
    const int most = inputs ? opset::max_inputs(row) : opset::max_outputs(row);
    const auto n = static_cast<int>(std::min<std::size_t>(given, opset::kUnbounded));
    return n >= least && n <= most;
  };
  if (takes(schema)) return hint;  // one that is there has no name
  for (const opset::Schema& row : op.history) {
    if (row.since == schema.since || row.deprecated || given < params(row).size()) continue;
    if (!takes(row)) continue;
    return hint + "; version " + std::to_string(row.since) + " of the operator takes " + std::to_string(given) +
           ": perhaps opset_import states the wrong version";
  }
  return hint;
}

}  // namespace

FaultText unknown_attribute(std::string_view name, const opset::Operator& op, const opset::Schema& schema) {
  return {of_version(op, schema) + " has no attribute " + shown(name), unknown_attribute_hint(op, schema, name)};
}

FaultText attribute_of_other_type(const ir::Attribute& attribute, const opset::Attr& declared,
                                  const opset::Operator& op, const opset::Schema& schema) {
  return {"attribute " + quoted(declared.name) + " is " + type_name(attribute.kind()) + ", but " +
              of_version(op, schema) + " wants " + type_name(declared.type),
          "write its value as " + type_name(declared.type)};
}

FaultText attribute_without_value(const ir::Attribute& attribute) {
  const bool typed = attribute.type.has();
  return {"attribute " + shown(attribute.name.get()) + " has no value" +
              (typed ? ", though its type is " + type_name(attribute.kind()) : " and no type"),
          "give the attribute a value, or leave it out"};
}

FaultText attribute_without_graph(std::string_view name) {
  return {"attribute " + shown(name) + " has no graph", "give the node the graph that it runs"};
}

FaultText reference_outside_function(const ir::Attribute& attribute) {
  return {"attribute " + shown(attribute.name.get()) + " refers to the attribute " +
              shown(attribute.ref_attr_name.get()) + " of a function, but no node of a function's body has it",
          "give the attribute a value"};
}

FaultText missing_attribute(const opset::Attr& declared, const opset::Operator& op, const opset::Schema& schema) {
  return {opset::missing_text(declared), "give the node the attribute; it has no default in version " +
                                             std::to_string(schema.since) + " of " + opset::full_name(op)};
}

const opset::Param* param_at(std::span<const opset::Param> params, std::size_t i) noexcept {
  if (i < params.size()) return &params[i];
  return !params.empty() && params.back().option == opset::ParamOption::Variadic ? &params.back() : nullptr;
}

FaultText empty_input(std::size_t index, std::size_t given, const opset::Operator& op, const opset::Schema& schema) {
  const opset::Param& param = schema.inputs[std::min(index, schema.inputs.size() - 1)];
  return {missing_input(index, param) + ": an empty name leaves it out",
          param.option == opset::ParamOption::Variadic ? "name a value there, or leave the empty name out"
                                                       : count_hint(true, given, op, schema)};
}

FaultText wrong_count(bool inputs, std::size_t given, int least, int most, const opset::Operator& op,
                      const opset::Schema& schema) {
  const char* one = inputs ? " input" : " output";
  std::string missing;
  if (inputs && given < static_cast<std::size_t>(least) && !schema.inputs.empty())
    missing = missing_input(given, schema.inputs[std::min(given, schema.inputs.size() - 1)]) + ": ";
  return {missing + opset::full_name(op) + " has " + std::to_string(given) + one + (given == 1 ? "" : "s") +
              ", but its version " + std::to_string(schema.since) + (inputs ? " takes " : " gives ") +
              range(least, most),
          count_hint(inputs, given, op, schema)};
}

FaultText left_out_by_call(std::string_view name, std::string_view of_node) {
  return {"the call leaves out the function's input " + shown(name) + ", which the body needs: " + std::string(of_node),
          "give the call this input"};
}

}  // namespace norn::infer
