#include "program/inlined.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "opset/inference_faults.h"
#include "opset/refused_shape.h"

namespace norn::program {

const Inlined* inlined_around(const Graph& graph, std::string_view path) {
  for (const Inlined& inlined : graph.inlined)
    if (path.starts_with(inlined.path) && path.substr(inlined.path.size()).starts_with(" / ")) return &inlined;
  return nullptr;
}

std::string_view stepped_operator(const Graph& graph, const Node& node) {
  const std::string_view path = node.path();
  const std::size_t begin = path.rfind('(');
  if (begin == path.npos || !path.ends_with(')')) return {};
  const std::string_view named = path.substr(begin + 1, path.size() - begin - 2);
  if (named == opset::full_name(*node.op)) return {};
  const bool is_there = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& other) {
    return other.path() == path && opset::full_name(*other.op) == named;
  });
  return is_there ? named : std::string_view();
}

bool is_in_body(const Inlined& inlined, std::string_view where) {
  return where.find(inlined.path + " / ") != std::string_view::npos;
}

opset::ValueType sized(opset::ValueType type, const opset::DimExpr::Lookup& size_of) {
  if (type.shape)
    for (opset::DimExpr& d : *type.shape)
      if (const auto size = d.evaluate(size_of)) d = opset::DimExpr(*size);
  return type;
}

std::string describe_inputs(const Inlined& inlined, const TypeOfInput& type_of) {
  std::string text;
  for (const Inlined::Input& input : inlined.inputs) {
    text += text.empty() ? "" : ", ";
    if (input.name.empty())
      text += "none";
    else
      text.append(base::quoted(input.name)).append(" ").append((type_of ? type_of(input) : input.type).to_string());
  }
  return "inputs (" + text + ")";
}

std::string asked_for(const Error& error, std::string_view shape) {
  const auto* refused = dynamic_cast<const opset::SizeBelowMinusOne*>(&error);
  if (!refused || refused->size() != opset::kRefusedSize || !shape.ends_with(opset::kRefusedSuffix)) return {};
  shape.remove_suffix(opset::kRefusedSuffix.size());
  std::string words(shape.substr(shape.rfind('/') + 1));  // a body's values are named after the operator's node
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string asked_for(const Error& error, const Graph& graph, const Node& node) {
  return node.input(1) == kNone ? std::string() : asked_for(error, graph.value(node.input(1)).name);
}

Error of_operator(const Inlined& inlined, const Error& error, const std::string& inputs, std::string hint,
                  const std::string& asked) {
  const std::string inside = inlined.path + " / ";
  std::string where = error.where();
  const std::size_t at = where.find(inside);
  if (at == std::string::npos)
    return Error(error.code(), error.message(), inside + inputs + (where.empty() ? "" : " / ") + where,
                 std::move(hint));
  where.insert(at + inside.size(), inputs + " / its definition / ");
  if (!asked.empty())
    return Error(error.code(), inlined.operation + " asks for " + asked, std::move(where), std::move(hint));
  return Error(error.code(), "a step of " + inlined.operation + " fails: " + error.message(), std::move(where),
               std::move(hint));
}

}  // namespace norn::program
