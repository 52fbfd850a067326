// Version steps of activation functions: version 1's consumed_inputs, and the constants of Selu, which gained digits.
#include "ops/math/activation/activation.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace activation_adapt_cc {
namespace {

using namespace transform;

void keep_constants(NodeEdit& edit) {
  const float alpha = edit.attrs().f("alpha"), gamma = edit.attrs().f("gamma");
  edit.remove_attr("consumed_inputs");
  edit.set_attr("alpha", alpha);
  edit.set_attr("gamma", gamma);
}

}  // namespace
}  // namespace activation_adapt_cc

void activation_steps(StepTable& table) {
  for (const opset::Operator* op : {&Elu, &HardSigmoid, &LeakyRelu})
    table.add(*op, 1, 6, drop_consumed_inputs, unchanged);
  table.add(Selu, 1, 6, keep_constants, keep_constants);
}

}  // namespace norn::ops
