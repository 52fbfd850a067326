// Messages about a node that violates its operator's signature, shared by inference, lowering and the checker.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "infer/fault_text.h"
#include "ir/model.h"
#include "opset/schema.h"

namespace norn::infer {

FaultText unknown_attribute(std::string_view name, const opset::Operator& op, const opset::Schema& schema);
FaultText attribute_of_other_type(const ir::Attribute& attribute, const opset::Attr& declared,
                                  const opset::Operator& op, const opset::Schema& schema);
// It has neither type nor value, or a type whose one field is not there.
FaultText attribute_without_value(const ir::Attribute& attribute);
// The attribute of an operator that runs a graph has none.
FaultText attribute_without_graph(std::string_view name);
// It refers to the attribute of a function, and is in no function's node.
FaultText reference_outside_function(const ir::Attribute& attribute);
FaultText missing_attribute(const opset::Attr& declared, const opset::Operator& op, const opset::Schema& schema);
// The parameter that the i-th input or output is, of variadic ones too; null beyond the last.
const opset::Param* param_at(std::span<const opset::Param> params, std::size_t i) noexcept;
// Of `given` inputs, one that the operator needs has an empty name.
FaultText empty_input(std::size_t index, std::size_t given, const opset::Operator& op, const opset::Schema& schema);
// `given` inputs or outputs, of which the operator has `least` to `most`.
FaultText wrong_count(bool inputs, std::size_t given, int least, int most, const opset::Operator& op,
                      const opset::Schema& schema);

// A node of a function's body needs what the function takes by the name, and the call leaves it out; `of_node` says
// what is wrong with the node then.
FaultText left_out_by_call(std::string_view name, std::string_view of_node);

}  // namespace norn::infer
