// What is wrong with a node by its operator's signature, as inference, lowering and the checker say it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "infer/fault_text.h"
#include "ir/model.h"
#include "opset/schema.h"

namespace norn::infer {

FaultText unknown_attribute(std::string_view name, const opset::Operator& op, const opset::Schema& schema);
FaultText attribute_of_other_type(const ir::Attribute& attribute, const opset::Attr& declared,
                                  const opset::Operator& op, const opset::Schema& schema);
FaultText missing_attribute(const opset::Attr& declared, const opset::Operator& op, const opset::Schema& schema);
// Of `given` inputs, one that the operator needs has an empty name.
FaultText empty_input(std::size_t index, std::size_t given, const opset::Operator& op, const opset::Schema& schema);
// `given` inputs or outputs, of which the operator has `least` to `most`.
FaultText wrong_count(bool inputs, std::size_t given, int least, int most, const opset::Operator& op,
                      const opset::Schema& schema);

}  // namespace norn::infer
