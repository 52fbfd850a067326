// Reading the texts of cases (case.h): from a Case to the nodes that it stands for.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"
#include "norn/value.h"
#include "ops/common/case.h"
#include "opset/schema.h"
#include "opset/value_type.h"

namespace norn::ops::cases {

// An input or an output of a node.
struct Given {
  bool present = true;
  opset::ValueType type;                  // Unknown: "?"
  std::optional<opset::Dims> ints;        // contents known by symbols
  std::optional<Value> value;             // contents
  bool unknown = false;                   // of an output: nothing is known of its contents
  std::vector<std::int64_t> zeros_below;  // elements that have to be negative zeros
};

// A node with all that a case says of it. Alternatives, types and versions are settled.
struct Trial {
  const Case* source = nullptr;
  const opset::Operator* op = nullptr;
  const opset::Schema* row = nullptr;
  std::vector<ir::Attribute> attrs;
  std::vector<Given> inputs, outputs;
  std::string text;  // for messages

  int version() const { return row->since; }
  bool concrete() const;  // every input has contents, or is left out
};

// Throws norn::Error (Internal) for an invalid case, such as a node that no version of the operator allows.
std::vector<Trial> trials(const Case& source);

// "float[2,N]" -> type; "float" has no rank; "float[]" is a scalar. Names are dimension variables.
opset::ValueType type(std::string_view text);
// Sums and products of numbers and variables: "2*N+1".
opset::DimExpr expression(std::string_view text);
// One input: a type and contents. `seed` is that of random contents.
Given given(std::string_view text, std::uint32_t seed = 1);
// Attributes by name, as a version of the operator reads them; nothing if it lacks one of them.
std::optional<std::vector<ir::Attribute>> attributes(const opset::Schema& row, const std::vector<std::string>& words);

opset::ValueType type_of(const Value& value);
std::string without_spaces(std::string_view text);
// The value with its first elements.
std::string show(const Value& value, std::size_t most = 16);

}  // namespace norn::ops::cases
