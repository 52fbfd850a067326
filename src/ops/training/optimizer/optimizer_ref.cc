// The formulas of the standard, element by element: in double, rounded once.
#include "ops/training/optimizer/optimizer.h"

#include <array>
#include <cmath>
#include <string>

#include "ops/common/elements.h"
#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace optimizer_ref_cc {
namespace {

using opset::ReferenceContext;

double learning_rate(ReferenceContext& ctx) { return single_number(ctx, 0); }
// The step count T.
double steps_done(ReferenceContext& ctx) { return single_number(ctx, 1); }

// Calls step(x, gradient, states), which changes x and the states, for each element of each tensor. The gradient is
// that of the loss and of norm_coefficient / 2 times the square of the tensor's norm.
template <int kStates, class Step>
void move_tensors(ReferenceContext& ctx, Step&& step) {
  const int count = optimized_tensors(ctx, ctx.input_count(), ctx.output_count(), kStates);
  const double norm = ctx.attrs().f("norm_coefficient");
  for (int i = 0; i < count; ++i) {
    const Tensor& x = ctx.input(2 + i);
    std::array<std::vector<double>, kStates + 2> values;
    for (int group = 0; group < kStates + 2; ++group) {
      const Tensor& given = ctx.input(2 + group * count + i);
      if (given.dims() != x.dims()) {
        ctx.fail("a tensor of shape " + to_string(x.dims()) + " comes with a gradient or state of shape " +
                 to_string(given.dims()));
      }
      values[static_cast<std::size_t>(group)] = load_all<double>(given);
    }
    std::array<double, kStates> states;
    for (std::size_t k = 0; k < values[0].size(); ++k) {
      for (std::size_t s = 0; s < kStates; ++s) states[s] = values[s + 2][k];
      step(values[0][k], norm * values[0][k] + values[1][k], states);
      for (std::size_t s = 0; s < kStates; ++s) values[s + 2][k] = states[s];
    }
    for (int group = 0; group < kStates + 1; ++group) {
      const int output = group * count + i, source = group ? group + 1 : 0;
      if (!ctx.wants_output(output)) continue;
      store_all(ctx.output(output, ctx.input(2 + source * count + i).dtype(), x.dims()),
                values[static_cast<std::size_t>(source)]);
    }
  }
}

void adagrad_ref(ReferenceContext& ctx) {
  const double rate = learning_rate(ctx) / (1 + steps_done(ctx) * ctx.attrs().f("decay_factor"));
  const double epsilon = ctx.attrs().f("epsilon");
  move_tensors<kAdagradStates>(ctx, [&](double& x, double gradient, auto& states) {
    states[0] += gradient * gradient;
    x -= rate * gradient / (std::sqrt(states[0]) + epsilon);
  });
}

void adam_ref(ReferenceContext& ctx) {
  const double alpha = ctx.attrs().f("alpha"), beta = ctx.attrs().f("beta"), epsilon = ctx.attrs().f("epsilon"),
               post = ctx.attrs().f("norm_coefficient_post"), t = steps_done(ctx);
  double rate = learning_rate(ctx);
  if (t > 0) rate *= std::sqrt(1 - std::pow(beta, t)) / (1 - std::pow(alpha, t));
  move_tensors<kAdamStates>(ctx, [&](double& x, double gradient, auto& states) {
    states[0] = alpha * states[0] + (1 - alpha) * gradient;
    states[1] = beta * states[1] + (1 - beta) * gradient * gradient;
    x = (1 - post) * (x - rate * states[0] / (std::sqrt(states[1]) + epsilon));
  });
}

void momentum_ref(ReferenceContext& ctx) {
  const double rate = learning_rate(ctx), alpha = ctx.attrs().f("alpha");
  const double beta = steps_done(ctx) > 0 ? static_cast<double>(ctx.attrs().f("beta")) : 1.0;
  const bool nesterov = is_nesterov(ctx);
  move_tensors<kMomentumStates>(ctx, [&](double& x, double gradient, auto& states) {
    states[0] = alpha * states[0] + beta * gradient;
    x -= rate * (nesterov ? gradient + alpha * states[0] : states[0]);
  });
}

}  // namespace
}  // namespace optimizer_ref_cc

void optimizer_references(opset::ReferenceTable& table) {
  table.add(Adagrad, adagrad_ref);
  table.add(Adam, adam_ref);
  table.add(Momentum, momentum_ref);
}

}  // namespace norn::ops
