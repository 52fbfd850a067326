// Version steps of the unary element-wise operators: version 1's consumed_inputs, and Erf's integers.
#include "ops/math/unary_math/unary_math.h"
#include "ops/tensor/cast/cast.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using transform::NodeEdit;

void drop_consumed_inputs(NodeEdit& edit) { edit.remove_attr("consumed_inputs"); }
void nothing(NodeEdit&) {}  // consumed_inputs is optional; Erf-9 means the same for its floating types

// Integers go through single precision, in which version 9 is defined for them by the onnx reference.
void erf_9_13(NodeEdit& edit) {
  const DataType elem = edit.input_type(0).elem;
  if (elem == DataType::Undefined) {
    edit.cannot("Erf took integers before version 13, and the element type of its input is not known",
                "declare the type of the model's inputs");
  }
  if ((opset::types::kInts >> static_cast<unsigned>(elem)) & 1u) {
    const auto to = [](DataType t) { return transform::make_attr("to", static_cast<std::int64_t>(t)); };
    edit.wrap_input(0, Cast, 13, {to(DataType::Float)});
    edit.wrap_output(0, Cast, 13, {to(elem)});
  }
}

}  // namespace

void unary_math_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Relu, &Abs, &Neg, &Exp, &Sqrt, &Sigmoid, &Tanh}) {
    table.add(*op, 1, 6, drop_consumed_inputs);
    table.add(*op, 6, 1, nothing);
  }
  table.add(Erf, 9, 13, erf_9_13);
  table.add(Erf, 13, 9, nothing);
}

}  // namespace norn::ops
