// Element-wise operators in types, and with operands, that chains have no steps for.
#include "kernels/cpu/power.h"
#include "kernels/cpu/typed.h"
#include "ops/logical/bit_shift/bit_shift.h"
#include "ops/logical/bitwise/bitwise.h"
#include "ops/logical/logical/logical.h"
#include "ops/math/activation/activation.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/clip/clip.h"
#include "ops/math/mod/mod.h"
#include "ops/math/pow/pow.h"
#include "ops/math/prelu/prelu.h"
#include "ops/math/rounding/rounding.h"
#include "ops/math/unary_log/unary_log.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/math/unary_trig/unary_trig.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "ops/tensor/is_special/is_special.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::TypedOp;

struct TypedOperator {
  const opset::Operator* op;
  TypedOp typed;
};

constexpr TypedOperator kTypedOperators[] = {
    {&ops::Not, TypedOp::Not},
    {&ops::BitwiseNot, TypedOp::BitwiseNot},
    {&ops::Neg, TypedOp::Neg},
    {&ops::Abs, TypedOp::Abs},
    {&ops::Sign, TypedOp::Sign},
    {&ops::Relu, TypedOp::Relu},
    {&ops::Floor, TypedOp::Floor},
    {&ops::Ceil, TypedOp::Ceil},
    {&ops::Round, TypedOp::Round},
    {&ops::Sqrt, TypedOp::Sqrt},
    {&ops::Reciprocal, TypedOp::Reciprocal},
    {&ops::Shrink, TypedOp::Shrink},
    {&ops::Exp, TypedOp::Exp},
    {&ops::Log, TypedOp::Log},
    {&ops::Sigmoid, TypedOp::Sigmoid},
    {&ops::Sin, TypedOp::Sin},
    {&ops::Cos, TypedOp::Cos},
    {&ops::Tan, TypedOp::Tan},
    {&ops::Asin, TypedOp::Asin},
    {&ops::Acos, TypedOp::Acos},
    {&ops::Atan, TypedOp::Atan},
    {&ops::Sinh, TypedOp::Sinh},
    {&ops::Cosh, TypedOp::Cosh},
    {&ops::Tanh, TypedOp::Tanh},
    {&ops::Asinh, TypedOp::Asinh},
    {&ops::Acosh, TypedOp::Acosh},
    {&ops::Atanh, TypedOp::Atanh},
    {&ops::IsNaN, TypedOp::IsNaN},
    {&ops::IsInf, TypedOp::IsInf},
    {&ops::Add, TypedOp::Add},
    {&ops::Sub, TypedOp::Sub},
    {&ops::Mul, TypedOp::Mul},
    {&ops::Div, TypedOp::Div},
    {&ops::Max, TypedOp::Max},
    {&ops::Min, TypedOp::Min},
    {&ops::Sum, TypedOp::Add},
    {&ops::Mean, TypedOp::Mean},
    {&ops::Mod, TypedOp::Mod},
    {&ops::BitwiseAnd, TypedOp::And},
    {&ops::BitwiseOr, TypedOp::Or},
    {&ops::BitwiseXor, TypedOp::Xor},
    {&ops::BitShift, TypedOp::ShiftLeft},
    {&ops::PRelu, TypedOp::PRelu},
    {&ops::Pow, TypedOp::Pow},
    {&ops::Clip, TypedOp::Clip},
};

const TypedOperator* find_typed(const opset::Operator* op) {
  for (const TypedOperator& known : kTypedOperators)
    if (known.op == op) return &known;
  return nullptr;
}

}  // namespace

bool is_typed(const opset::Operator* op) { return find_typed(op) != nullptr; }

bool select_typed(Selector& s) {
  const TypedOperator* known = find_typed(s.node().op);
  if (!known) return false;
  if (s.node().schema != &s.node().op->history.back() && s.node().schema->since < 7) {
    s.refuse("typed", "before version 7 the second input broadcasts by attributes");
    return false;
  }
  s.leave_parts();
  if (known->typed == TypedOp::Pow && s.dtype(0) != s.dtype(1)) {
    const kernels::PowerConfig power{s.dtype(0), s.dtype(1), s.dims(0), s.dims(1), s.out_dims()};
    return s.choose(kernels::power_candidates(), power, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                    {s.node().outputs[0]});
  }
  kernels::TypedConfig config;
  config.op = known->typed;
  config.type = s.dtype(0);
  config.out = s.out_dims();
  const SelectedNode node(s);
  if (config.op == TypedOp::IsInf) {
    const ops::DetectedSigns signs = ops::resolve_is_inf(s.attrs());
    config.a = signs.negative ? 1 : 0;
    config.b = signs.positive ? 1 : 0;
  }
  if (config.op == TypedOp::Shrink) {
    const ops::ActivationParams shrink = ops::resolve_activation(s.attrs());
    config.a = shrink.alpha;
    config.b = shrink.beta;
  }
  if (config.op == TypedOp::ShiftLeft && !ops::shifts_left(node)) config.op = TypedOp::ShiftRight;
  if (config.op == TypedOp::Mod && ops::truncates_quotient(node)) config.op = TypedOp::Fmod;
  std::vector<Operand> uses;
  const std::vector<program::ValueId>& inputs = s.node().inputs;
  if (config.op == TypedOp::Clip) {
    if (s.node().schema->since < 11) return false;  // bounds are attributes
    config.inputs.push_back(s.dims(0));
    uses.push_back({inputs[0]});
    for (std::size_t i = 1; i < 3; ++i) {
      uses.push_back({s.has(i) ? inputs[i] : program::kNone});
      if (s.has(i) && (element_count(s.dims(i)) != 1 || s.dtype(i) != config.type)) return false;
    }
    config.lower = s.has(1);
    config.upper = s.has(2);
  } else {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (s.dtype(i) != config.type) return false;
      config.inputs.push_back(s.dims(i));
      uses.push_back({inputs[i]});
    }
  }
  return s.choose(kernels::typed_candidates(), config, uses, {s.node().outputs[0]});
}

}  // namespace norn::runtime
