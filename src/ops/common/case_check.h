// Comparisons for the driver of cases: values with values, and results of inference with values.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "infer/infer_node.h"
#include "norn/error.h"
#include "ops/common/case_text.h"

namespace norn::ops::cases {

// How near a value has to be.
struct Bound {
  double tolerance = -1;  // as With::tolerance
  double fast = -1;       // as With::fast, of elements of type float: no fast kernel computes another floating type
  // For function bodies, each of whose operations rounds to the element type and may overflow where a kernel that is
  // written with care does not: errors of up to 16 neighbours of 1 or of the value, and infinities, pass.
  bool by_steps = false;
};

// "" if `got` is `want`, else what differs first. `zeros_below`: elements that have to be negative zeros.
std::string difference(const Value& got, const Value& want, Bound bound,
                       const std::vector<std::int64_t>& zeros_below = {});

// What f() finds wrong, or throws, with the mode in front; "" if nothing.
template <class F>
std::string in_mode(const std::string& mode, F&& f) {
  std::string wrong;
  try {
    wrong = f();
  } catch (const Error& e) {
    wrong = std::string("throws: ") + e.what();
  }
  return wrong.empty() ? wrong : mode + ": " + wrong;
}

// What is known of the node's inputs.
struct Known {
  bool present = true;
  opset::ValueType type;
  opset::KnownValue value;
};
struct Inferred {
  std::vector<opset::ValueType> types;
  std::vector<opset::KnownValue> values;
};
// Sizes of dimension variables.
using VariableSizes = std::map<std::string, std::int64_t, std::less<>>;
// `sizes`: those that the node has when it runs. Inference may find variables equal only if they are equal then; it
// throws norn::Error otherwise.
Inferred infer(const opset::Operator& op, const opset::Schema& row, const std::vector<ir::Attribute>& attrs,
               const std::vector<Known>& inputs, std::size_t outputs, infer::Evaluator evaluator = nullptr,
               const VariableSizes* sizes = nullptr);

// Whether a size depends on a fresh variable, which inference made for an unknown size.
bool is_fresh(const opset::DimExpr& e);
// "" if the value is what was inferred of it; sizes are evaluated under `sizes`.
std::string misfit(const opset::ValueType& type, const opset::KnownValue& known, const Value& value,
                   const opset::DimExpr::Lookup& sizes, Bound bound);
// "" if inference says what `want` does.
std::string misfit(const opset::ValueType& type, const opset::KnownValue& known, const Given& want);

// Integers of rank 0 or 1: sizes, axes and the like, which models have as constants.
bool is_shape_like(const Value& value);

}  // namespace norn::ops::cases
