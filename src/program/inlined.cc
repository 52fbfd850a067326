#include "program/inlined.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "opset/refused_shape.h"

namespace norn::program {

const Inlined* inlined_around(const Graph& graph, std::string_view path) {
  for (const Inlined& inlined : graph.inlined)
    if (path.starts_with(inlined.path) && path.substr(inlined.path.size()).starts_with(" / ")) return &inlined;
  return nullptr;
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

namespace {

// The requirement by which an operator's body refuses its inputs: from the message of the Reshape, and the name of its
// shape, the last in the path. Empty for other errors.
std::string asked_for(const Error& error) {
  const std::string& where = error.where();
  const std::string shape = "the shape [" + std::to_string(opset::kRefusedSize);
  const std::size_t end = where.rfind(std::string(opset::kRefusedSuffix) + "\"");
  if (!error.message().starts_with(shape) || end == std::string::npos) return {};
  const std::size_t begin = where.find_last_of("\"/", end - 1) + 1;
  std::string words = where.substr(begin, end - begin);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

bool is_guard(const Error& error) { return !asked_for(error).empty(); }

Error of_operator(const Inlined& inlined, const Error& error, const std::string& inputs, std::string hint) {
  const std::string inside = inlined.path + " / ";
  std::string where = error.where();
  const std::size_t at = where.find(inside);
  if (at == std::string::npos)
    return Error(error.code(), error.message(), inside + inputs + (where.empty() ? "" : " / ") + where,
                 std::move(hint));
  const std::string asked = asked_for(error);
  where.insert(at + inside.size(), inputs + " / its definition / ");
  if (!asked.empty())
    return Error(error.code(), inlined.operation + " asks for " + asked, std::move(where), std::move(hint));
  return Error(error.code(), "a step of " + inlined.operation + " fails: " + error.message(), std::move(where),
               std::move(hint));
}

}  // namespace norn::program
