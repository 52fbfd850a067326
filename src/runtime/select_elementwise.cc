// Element-wise nodes as chains, and element-wise nodes fused behind others: one translation for both.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/physical.h"
#include "ops/math/activation/activation.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/clip/clip.h"
#include "ops/math/pow/pow.h"
#include "ops/math/prelu/prelu.h"
#include "ops/math/rounding/rounding.h"
#include "ops/math/unary_log/unary_log.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::ElementOp;
using kernels::ElementStep;
using kernels::ExtraOperand;
using kernels::Layout;

constexpr std::int64_t kRun = 8;  // elements that are worth reading where they lie

struct Known {
  const opset::Operator* op;
  ElementOp element;
  bool resolved = false;  // its parameters are those of ops::resolve_activation
};

constexpr Known kKnown[] = {
    {&ops::Relu, ElementOp::Relu},
    {&ops::Abs, ElementOp::Abs},
    {&ops::Neg, ElementOp::Neg},
    {&ops::Exp, ElementOp::Exp},
    {&ops::Sqrt, ElementOp::Sqrt},
    {&ops::Erf, ElementOp::Erf},
    {&ops::Sigmoid, ElementOp::Sigmoid},
    {&ops::Tanh, ElementOp::Tanh},
    {&ops::Softsign, ElementOp::Softsign},
    {&ops::Log, ElementOp::Log},
    {&ops::Reciprocal, ElementOp::Reciprocal},
    {&ops::Sign, ElementOp::Sign},
    {&ops::Floor, ElementOp::Floor},
    {&ops::Ceil, ElementOp::Ceil},
    {&ops::Round, ElementOp::Round},
    {&ops::Celu, ElementOp::Celu, true},
    {&ops::Elu, ElementOp::Elu, true},
    {&ops::Gelu, ElementOp::Gelu, true},
    {&ops::HardSigmoid, ElementOp::HardSigmoid, true},
    {&ops::HardSwish, ElementOp::HardSwish},
    {&ops::LeakyRelu, ElementOp::LeakyRelu, true},
    {&ops::Mish, ElementOp::Mish},
    {&ops::Selu, ElementOp::Selu, true},
    {&ops::Softplus, ElementOp::Softplus},
    {&ops::Swish, ElementOp::Swish, true},
    {&ops::ThresholdedRelu, ElementOp::ThresholdedRelu, true},
    {&ops::Clip, ElementOp::Clip},
    {&ops::Add, ElementOp::Add},
    {&ops::Sub, ElementOp::Sub},
    {&ops::Mul, ElementOp::Mul},
    {&ops::Div, ElementOp::Div},
    {&ops::Max, ElementOp::Max},
    {&ops::Min, ElementOp::Min},
    {&ops::Sum, ElementOp::Add},
    {&ops::Pow, ElementOp::Pow},
    {&ops::PRelu, ElementOp::PRelu},
};

const Known* find(const opset::Operator* op) {
  for (const Known& k : kKnown)
    if (k.op == op) return &k;
  return nullptr;
}

}  // namespace

bool is_elementwise(const opset::Operator* op) { return find(op) != nullptr; }

bool lies_alike(const Shape& operand, const Shape& out) {
  if (operand == out) return true;
  return operand.size() == out.size() && out.size() > 2 && operand[1] == out[1] &&
         element_count(operand) > operand[0] * operand[1];
}

bool Selector::element_steps(const program::Node& operation, int running, std::vector<ElementStep>& steps,
                             std::vector<ExtraOperand>& extra, std::vector<Operand>& uses, Layout layout) {
  const std::vector<program::ValueId>& inputs = operation.inputs;
  const Known* known = find(operation.op);
  if (!known) return false;
  if (operation.op == &ops::Clip) {
    ElementStep step{.op = ElementOp::Clip};
    step.a = -std::numeric_limits<float>::infinity();
    step.b = std::numeric_limits<float>::infinity();
    const ops::ClipParams p = ops::resolve_clip(SelectedNode(*this, operation));
    for (const auto& [bound, to] : {std::pair(&p.low, &step.a), {&p.high, &step.b}}) {
      if (!bound->given) continue;
      if (!bound->number.defined() || bound->number.dtype() != DataType::Float) return false;
      *to = *bound->number.as<float>();
    }
    if (std::isnan(step.a) || std::isnan(step.b)) return false;  // which every element becomes
    // ONNX takes min(max, max(min, x)): with min above max every element becomes max.
    if (step.a > step.b) step.a = step.b;
    steps.push_back(step);
    return true;
  }
  if (!kernels::is_binary(known->element)) {
    ElementStep step{.op = known->element};
    if (known->resolved) {
      const ops::ActivationParams params = ops::resolve_activation(operation.attributes());
      step.a = params.alpha, step.b = params.beta;
      if (params.by_tanh) step.op = ElementOp::GeluTanh;
    }
    steps.push_back(step);
    return true;
  }
  for (program::ValueId id : inputs)
    if (dtype_of(id) != dtype_of(operation.outputs[0])) return false;  // an exponent may be of another type
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (static_cast<int>(i) == running) continue;
    ElementStep step{.op = known->element};
    step.swapped = static_cast<int>(i) < running && inputs.size() == 2;
    step.operand = static_cast<int>(extra.size());
    const norn::Tensor* contents = constant_if_known(inputs[i]);
    const bool alike = lies_alike(dims_of(inputs[i]), dims_of(operation.outputs[0]));
    extra.push_back({dims_of(inputs[i]), alike ? layout : Layout::Dense, contents ? contents->data() : nullptr});
    uses.push_back({inputs[i], extra.back().layout});
    steps.push_back(step);
  }
  return true;
}

program::ValueId Selector::take_parts(std::vector<ElementStep>& steps, std::vector<ExtraOperand>& extra,
                                      std::vector<Operand>& uses, Layout layout, std::size_t behind) {
  taken_ = behind;
  const program::Node& first = behind == 0 ? node() : parts_[behind - 1];
  program::ValueId running = first.outputs[0], before = program::kNone;
  const DataType type = dtype_of(running);
  const Shape& dims = dims_of(running);
  for (const program::Node& part : parts_.subspan(behind)) {
    const program::ValueId made = part.outputs[0];
    const auto stop = [&](std::string reason) {
      refuse(std::string(first.op->name) + "+" + std::string(part.op->name), std::move(reason));
      return running;
    };
    if (dtype_of(made) != type)
      return stop("the elements change from " + std::string(data_type_name(type)) + " to " +
                  std::string(data_type_name(dtype_of(made))));
    if (dims_of(made) != dims)
      return stop("the shape changes from " + to_string(dims) + " to " + to_string(dims_of(made)));
    const auto at = std::find(part.inputs.begin(), part.inputs.end(), running);
    if (std::count(at, part.inputs.end(), running) != 1) return stop("it reads the value more than once");
    if (before != program::kNone && std::find(part.inputs.begin(), part.inputs.end(), before) != part.inputs.end())
      return stop("it reads the value before the last as well");
    if (!element_steps(part, static_cast<int>(at - part.inputs.begin()), steps, extra, uses, layout))
      return stop("there is no step for it and its types, or a bound of Clip is not a constant");
    before = std::exchange(running, made);
    ++taken_;
  }
  return running;
}

bool select_elementwise(Selector& s) {
  if (select_quantized_chain(s)) return true;
  const DataType type = s.out_dtype();
  // Chains of other types have the compiler's vectors for every machine alone.
  if (type != DataType::Float && s.parts().empty() && select_typed(s)) return true;
  // The running value starts as the first input; the operation's other inputs and the fused ones follow.
  auto attempt = [&](Layout layout) {
    kernels::ChainConfig config;
    config.out = s.out_dims();
    config.layout = layout;
    config.type = type;
    std::vector<Operand> uses;
    const bool alike = lies_alike(s.dims(0), s.out_dims());
    config.inputs.push_back({s.dims(0), alike ? layout : Layout::Dense, s.constant_data(0)});
    uses.push_back({s.node().inputs[0], config.inputs.back().layout});
    if (!s.element_steps(s.node(), 0, config.steps, config.inputs, uses, layout)) {
      s.refuse("chain", "a bound of Clip is not a constant, or an exponent is of another type");
      return false;
    }
    const program::ValueId made = s.take_parts(config.steps, config.inputs, uses, layout);
    // What lies in another value's memory is read there if it lies in runs.
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const auto* strides = s.strides_of(uses[i].value);
      if (!strides) continue;
      const Shape& dims = config.inputs[i].dims;
      const std::size_t innermost = kernels::memory_order(dims.size(), layout).back();
      if ((*strides)[innermost] != 1 || dims[innermost] < kRun) continue;
      config.inputs[i].strides = *strides;
      uses[i].as_it_lies = true;
    }
    return s.choose(kernels::chain_candidates(), config, uses, {made, layout}, true);
  };
  Layout other = Layout::Dense;
  auto consider = [&](program::ValueId id) {
    if (id != program::kNone && s.dims_of(id) == s.out_dims() && s.made_in(id) != Layout::Dense) other = s.made_in(id);
  };
  if (const auto advised = s.advised_layout()) {
    other = *advised;
  } else {
    for (program::ValueId id : s.node().inputs) consider(id);
    for (const program::Node& part : s.parts())
      for (program::ValueId id : part.inputs) consider(id);
  }
  if (other != Layout::Dense && attempt(other)) return true;
  return attempt(Layout::Dense) || ((type == DataType::Float || !s.parts().empty()) && select_typed(s));
}

}  // namespace norn::runtime
