// Errors in the function body of an operator, reported as errors of the operator, which is what the document has.
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

// The requirement by which the body of an operator refuses its inputs: the words in the name of the refused shape,
// `shape`. Empty for other errors.
std::string asked_for(const Error& error, std::string_view shape);
// The same for the shape that the node reads, if it is a Reshape.
std::string asked_for(const Error& error, const Graph& graph, const Node& node);

// The error of a node with such a requirement, until it reaches the code that knows the operator.
class GuardRefuses final : public Error {
 public:
  GuardRefuses(Error error, std::string asked) : Error(std::move(error)), asked_(std::move(asked)) {}
  const std::string& asked() const noexcept { return asked_; }

 private:
  std::string asked_;
};

// The error with the operator and `inputs` before its place in the body. `hint` replaces the error's own, since hints
// about nodes of the body do not apply to the operator. `asked`: the requirement of its body that fails, if any.
Error of_operator(const Inlined& inlined, const Error& error, const std::string& inputs, std::string hint,
                  const std::string& asked = {});

}  // namespace norn::program
