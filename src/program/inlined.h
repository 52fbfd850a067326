// Errors in the function body of an operator, reported as errors of the operator, which is what the document has.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "norn/error.h"
#include "opset/dim_expr.h"
#include "program/program.h"

namespace norn::program {

// The operator in whose body a node of this path is; null if in none.
const Inlined* inlined_around(const Graph& graph, std::string_view path);

// Whether the place lies in the body, not at the operator itself.
bool is_in_body(const Inlined& inlined, std::string_view where);

// The type with the sizes that `size_of` knows variables to have.
opset::ValueType sized(opset::ValueType type, const opset::DimExpr::Lookup& size_of);
using TypeOfInput = std::function<opset::ValueType(const Inlined::Input&)>;
// `inputs ("x" float[N,6], none)`, with the types that `type_of` gives, if any.
std::string describe_inputs(const Inlined& inlined, const TypeOfInput& type_of = {});

// Whether the error is that of a guard, by which the body of an operator refuses its inputs.
bool is_guard(const Error& error);

// The error with the operator and `inputs` before its place in the body. `hint` replaces the error's own, since hints
// about nodes of the body do not apply to the operator.
Error of_operator(const Inlined& inlined, const Error& error, const std::string& inputs, std::string hint = {});

}  // namespace norn::program
