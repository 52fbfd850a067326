// Version steps of the unary element-wise operators: version 1's consumed_inputs, and Erf's integers.
#include "ops/math/unary_math/unary_math.h"
#include "ops/tensor/cast/cast.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace unary_math_adapt_cc {
namespace {

using namespace transform;

// Integers go through single precision, in which version 9 is defined for them by the onnx reference.
void integers_through_float(NodeEdit& edit) {
  const DataType elem = edit.input_type(0).elem;
  if (elem == DataType::Undefined) {
    edit.cannot("Erf took integers before version 13, and the element type of its input is not known",
                "declare the type of the model's inputs");
  }
  if ((opset::types::kInts >> static_cast<unsigned>(elem)) & 1u) {
    const auto to = [](DataType t) { return make_attr("to", static_cast<std::int64_t>(t)); };
    edit.wrap_input(0, Cast, 13, {to(DataType::Float)});
    edit.wrap_output(0, Cast, 13, {to(elem)});
  }
}

}  // namespace
}  // namespace unary_math_adapt_cc

void unary_math_steps(StepTable& table) {
  for (const opset::Operator* op : {&Relu, &Abs, &Neg, &Exp, &Sqrt, &Sigmoid, &Tanh}) {
    table.add(*op, 1, 6, drop_consumed_inputs, unchanged);
  }
  table.add(Erf, 9, 13, integers_through_float, unchanged);
}

}  // namespace norn::ops
