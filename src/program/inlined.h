// Errors in the function body of an operator, told as errors of the operator, which is what the document has.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "norn/error.h"
#include "opset/dim_expr.h"
#include "program/program.h"

namespace norn::program {

// The operator in whose body a node of this path is; null if in none.
const Inlined* inlined_around(const Graph& graph, std::string_view path);

// The operator of the document whose version step put the node before or behind it; "" for any other node.
std::string_view stepped_operator(const Graph& graph, const Node& node);

// Whether the place lies in the body, not at the operator itself.
bool is_in_body(const Inlined& inlined, std::string_view where);

// The type with the sizes that `size_of` knows variables to have.
opset::ValueType sized(opset::ValueType type, const opset::DimExpr::Lookup& size_of);
using TypeOfInput = std::function<opset::ValueType(const Inlined::Input&)>;
// `inputs ("x" float[N,6], none)`, with the types that `type_of` gives, if any.
std::string describe_inputs(const Inlined& inlined, const TypeOfInput& type_of = {});

// What the body of an operator refuses its inputs for: the words in the name of the shape that is refused, `shape`.
// Empty for other errors.
std::string asked_for(const Error& error, std::string_view shape);
// The same, of the shape that the node reads if it is a Reshape.
std::string asked_for(const Error& error, const Graph& graph, const Node& node);

// The error of a node that asks for that, on its way to where the operator is known.
class GuardRefuses final : public Error {
 public:
  GuardRefuses(Error error, std::string asked) : Error(std::move(error)), asked_(std::move(asked)) {}
  const std::string& asked() const noexcept { return asked_; }

 private:
  std::string asked_;
};

// The error with the operator and `inputs` before its place in the body. Hints about nodes of the body do not help who
// wrote the operator: `hint` takes their place. `asked`: what its body asks for, if that is what fails.
Error of_operator(const Inlined& inlined, const Error& error, const std::string& inputs, std::string hint,
                  const std::string& asked = {});

}  // namespace norn::program
