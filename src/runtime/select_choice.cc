// Comparison, logic on two bools, and Where.
#include "kernels/cpu/choice.h"
#include "ops/logical/compare/compare.h"
#include "ops/logical/logical/logical.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

struct PairOperator {
  const opset::Operator* op;
  kernels::PairOp pair;
};

constexpr PairOperator kPairOperators[] = {
    {&ops::Equal, kernels::PairOp::Equal},
    {&ops::Less, kernels::PairOp::Less},
    {&ops::LessOrEqual, kernels::PairOp::LessOrEqual},
    {&ops::Greater, kernels::PairOp::Greater},
    {&ops::GreaterOrEqual, kernels::PairOp::GreaterOrEqual},
    {&ops::And, kernels::PairOp::And},
    {&ops::Or, kernels::PairOp::Or},
    {&ops::Xor, kernels::PairOp::Xor},
};

}  // namespace

bool select_pair(Selector& s) {
  if (s.node().schema->since < 7) {
    s.refuse("pair", "before version 7 the second input broadcasts by attributes");
    return false;
  }
  kernels::PairConfig config;
  for (const PairOperator& known : kPairOperators)
    if (known.op == s.node().op) config.op = known.pair;
  config.type = s.dtype(0);
  config.a = s.dims(0);
  config.b = s.dims(1);
  config.out = s.out_dims();
  return s.choose(kernels::pair_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

bool select_where(Selector& s) {
  if (s.out_dtype() == DataType::String) {
    s.refuse("where", "moves elements of fixed size, not strings");
    return false;
  }
  const kernels::WhereConfig config{s.dims(0), s.dims(1), s.dims(2), s.out_dims(), element_size(s.out_dtype())};
  return s.choose(kernels::where_candidates(), config,
                  {{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().inputs[2]}}, {s.node().outputs[0]});
}

}  // namespace norn::runtime
