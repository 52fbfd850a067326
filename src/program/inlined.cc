#include "program/inlined.h"

#include <utility>

#include "base/text.h"

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

Error of_operator(const Inlined& inlined, const Error& error, const std::string& inputs, std::string hint) {
  const std::string inside = inlined.path + " / ";
  std::string where = error.where();
  const std::size_t at = where.find(inside);
  if (at == std::string::npos)
    return Error(error.code(), error.message(), inside + inputs + (where.empty() ? "" : " / ") + where,
                 std::move(hint));
  where.insert(at + inside.size(), inputs + " / its definition / ");
  return Error(error.code(), "a step of " + inlined.operation + " fails: " + error.message(), std::move(where),
               std::move(hint));
}

}  // namespace norn::program
