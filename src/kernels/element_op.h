// The table of element-wise operations: a row for each. The loops are in cpu/steps_simd.cc (f32) and cpu/elementwise.cc
// (integers, double), each of which has to have what the row says; the kernels' tests have formulas and bounds of error
// for every row.
#pragma once
#include <array>
#include <string_view>

#include "kernels/kernel.h"

namespace norn::kernels {

struct ElementInfo {
  ElementOp op;
  std::string_view name;
  double f32_ns;          // an element in f32, for the choice of a grain: about what a vector machine of 3 GHz takes
  bool integers = false;  // there is an int32 and an int64 step too, whose arithmetic wraps
  bool f64 = false;       // there is a step in double
};

// By ElementOp.
inline constexpr std::array<ElementInfo, kElementOps> kElementTable = {{
    {ElementOp::Identity, "Identity", 0.06, true, true},
    {ElementOp::Relu, "Relu", 0.06, true, true},
    {ElementOp::LeakyRelu, "LeakyRelu", 0.06},
    {ElementOp::Clip, "Clip", 0.06},
    {ElementOp::Abs, "Abs", 0.06, true, true},
    {ElementOp::Neg, "Neg", 0.06, true, true},
    {ElementOp::Exp, "Exp", 0.4},
    {ElementOp::Log, "Log", 0.5},
    {ElementOp::Sqrt, "Sqrt", 0.1, false, true},
    {ElementOp::Reciprocal, "Reciprocal", 0.1},
    {ElementOp::Erf, "Erf", 0.5},
    {ElementOp::Sigmoid, "Sigmoid", 0.5},
    {ElementOp::Tanh, "Tanh", 0.5},
    {ElementOp::Softsign, "Softsign", 0.1},
    {ElementOp::HardSigmoid, "HardSigmoid", 0.06},
    {ElementOp::HardSwish, "HardSwish", 0.06},
    {ElementOp::Elu, "Elu", 0.5},
    {ElementOp::Celu, "Celu", 0.6},
    {ElementOp::Selu, "Selu", 0.5},
    {ElementOp::Gelu, "Gelu", 0.5},
    {ElementOp::GeluTanh, "GeluTanh", 0.5},
    {ElementOp::Softplus, "Softplus", 1.0},
    {ElementOp::Swish, "Swish", 0.5},
    {ElementOp::Mish, "Mish", 0.5},
    {ElementOp::ThresholdedRelu, "ThresholdedRelu", 0.06},
    {ElementOp::Floor, "Floor", 0.06},
    {ElementOp::Ceil, "Ceil", 0.06},
    {ElementOp::Round, "Round", 0.06},
    {ElementOp::Sign, "Sign", 0.06},
    {ElementOp::Add, "Add", 0.06, true, true},
    {ElementOp::Sub, "Sub", 0.06, true, true},
    {ElementOp::Mul, "Mul", 0.06, true, true},
    {ElementOp::Div, "Div", 0.1, false, true},
    {ElementOp::Max, "Max", 0.06, true, true},
    {ElementOp::Min, "Min", 0.06, true, true},
    {ElementOp::Pow, "Pow", 10.0},
    {ElementOp::PRelu, "PRelu", 0.06},
}};
constexpr const ElementInfo& element_info(ElementOp op) { return kElementTable[static_cast<std::size_t>(op)]; }
static_assert([] {
  for (std::size_t i = 0; i < kElementOps; ++i)
    if (static_cast<std::size_t>(kElementTable[i].op) != i) return false;
  return true;
}());

}  // namespace norn::kernels
