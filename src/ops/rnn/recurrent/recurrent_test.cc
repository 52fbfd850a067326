// RNN, GRU and LSTM against their equations, written as a recursion over time with the default activations, and against
// ONNX Runtime for the other activations, clip and what they are combined with. (The default alpha of ThresholdedRelu
// is that of its operator, 1; ONNX Runtime takes 0.)
#include <cmath>
#include <utility>

#include "ops/common/case.h"

namespace norn::ops::cases {
namespace {

using Vector = std::vector<double>;

double logistic(double x) { return 0.5 + 0.5 * std::tanh(x / 2); }

struct Model {
  const Sample& s;
  std::int64_t gates, directions, hidden, steps, batch;
  bool batch_first;

  Model(Sample& sample, std::int64_t gate_count)
      : s(sample),
        gates(gate_count),
        directions(s.in(2).dims[0]),
        hidden(s.in(2).dims[2]),
        steps(s.in(0).dims[s.number("layout") != 0 ? 1 : 0]),
        batch(s.in(0).dims[s.number("layout") != 0 ? 0 : 1]),
        batch_first(s.number("layout") != 0) {}

  std::int64_t length(std::int64_t n) const {
    return s.has(4) ? static_cast<std::int64_t>(s.in(4).values[static_cast<std::size_t>(n)]) : steps;
  }
  bool backward(std::int64_t d) const { return d == 1 || s.word("direction") == "reverse"; }
  double initial(int input, std::int64_t d, std::int64_t n, std::int64_t j) const {
    if (!s.has(input)) return 0;
    return batch_first ? s.in(input).at({n, d, j}) : s.in(input).at({d, n, j});
  }
  double x(std::int64_t d, std::int64_t n, std::int64_t gate, std::int64_t j, std::int64_t t) const {
    double sum = s.has(3) ? s.in(3).at({d, gate * hidden + j}) : 0;
    for (std::int64_t i = 0; i < s.in(0).dims[2]; ++i)
      sum += s.in(1).at({d, gate * hidden + j, i}) * (batch_first ? s.in(0).at({n, t, i}) : s.in(0).at({t, n, i}));
    return sum;
  }
  double r(std::int64_t d, std::int64_t gate, std::int64_t j, const Vector& h) const {
    double sum = s.has(3) ? s.in(3).at({d, (gates + gate) * hidden + j}) : 0;
    for (std::int64_t i = 0; i < hidden; ++i)
      sum += s.in(2).at({d, gate * hidden + j, i}) * h[static_cast<std::size_t>(i)];
    return sum;
  }
  double p(std::int64_t d, std::int64_t gate, std::int64_t j) const {
    return s.has(7) ? s.in(7).at({d, gate * hidden + j}) : 0;
  }

  // Hidden and cell state behind the step at time t, or at the beginning.
  std::pair<Vector, Vector> state(std::int64_t d, std::int64_t n, std::int64_t t) const {
    const auto size = static_cast<std::size_t>(hidden);
    Vector h(size), c(size);
    if (t < 0 || t >= length(n)) {
      for (std::int64_t j = 0; j < hidden; ++j) {
        h[static_cast<std::size_t>(j)] = initial(5, d, n, j);
        c[static_cast<std::size_t>(j)] = initial(6, d, n, j);
      }
      return {h, c};
    }
    const auto [before, cell] = state(d, n, backward(d) ? t + 1 : t - 1);
    for (std::size_t k = 0; k < size; ++k) {
      const auto j = static_cast<std::int64_t>(k);
      if (gates == 1) h[k] = std::tanh(x(d, n, 0, j, t) + r(d, 0, j, before));
      if (gates == 3) {
        const auto reset = [&](std::int64_t i) { return logistic(x(d, n, 1, i, t) + r(d, 1, i, before)); };
        Vector scaled = before;
        for (std::size_t i = 0; i < size; ++i) scaled[i] *= reset(static_cast<std::int64_t>(i));
        const bool linear = s.number("linear_before_reset") != 0;
        const double fresh =
            std::tanh(x(d, n, 2, j, t) + (linear ? reset(j) * r(d, 2, j, before) : r(d, 2, j, scaled)));
        h[k] = fresh + logistic(x(d, n, 0, j, t) + r(d, 0, j, before)) * (before[k] - fresh);
      }
      if (gates == 4) {
        const double in = logistic(x(d, n, 0, j, t) + r(d, 0, j, before) + p(d, 0, j) * cell[k]);
        double keep = logistic(x(d, n, 2, j, t) + r(d, 2, j, before) + p(d, 2, j) * cell[k]);
        if (s.number("input_forget") != 0) keep = 1 - in;
        c[k] = keep * cell[k] + in * std::tanh(x(d, n, 3, j, t) + r(d, 3, j, before));
        h[k] = logistic(x(d, n, 1, j, t) + r(d, 1, j, before) + p(d, 1, j) * c[k]) * std::tanh(c[k]);
      }
    }
    return {h, c};
  }
};

template <std::int64_t kGates>
void layer(Sample& s) {
  const Model m(s, kGates);
  const auto [a, b] = m.batch_first ? std::pair{m.batch, m.directions} : std::pair{m.directions, m.batch};
  Vector& y = s.out(0, m.batch_first ? std::vector{m.batch, m.steps, m.directions, m.hidden}
                                     : std::vector{m.steps, m.directions, m.batch, m.hidden});
  Vector y_h, y_c;
  for (std::int64_t i = 0; i < a * b; ++i) {
    const std::int64_t d = m.batch_first ? i % b : i / b, n = m.batch_first ? i / b : i % b;
    const std::int64_t length = m.length(n);
    const auto last = m.state(d, n, m.backward(d) ? 0 : length - 1);
    y_h.insert(y_h.end(), last.first.begin(), last.first.end());
    y_c.insert(y_c.end(), last.second.begin(), last.second.end());
    for (std::int64_t t = 0; t < length; ++t) {
      const auto h = m.state(d, n, t).first;
      for (std::int64_t j = 0; j < m.hidden; ++j) {
        const std::int64_t to = m.batch_first ? ((n * m.steps + t) * m.directions + d) * m.hidden + j
                                              : ((t * m.directions + d) * m.batch + n) * m.hidden + j;
        y[static_cast<std::size_t>(to)] = h[static_cast<std::size_t>(j)];
      }
    }
  }
  s.out(1, {a, b, m.hidden}) = y_h;
  if (kGates == 4) s.out(2, {a, b, m.hidden}) = y_c;
}

const Cases equations(
    "RecurrentEquations",
    {
        {"RNN direction={forward|reverse}",
         "T[3,2,4] random; T[1,3,4] random; T[1,3,3] random",
         "T[3,1,2,3]; T[1,2,3]",
         {.formula = layer<1>}},
        {"RNN direction=bidirectional hidden_size=2",
         "T[3,2,1] random; T[2,2,1] random; T[2,2,2] random; T[2,4] random; {-|T1[2] 2 3}; {-|T[2,2,2] random}",
         "T[3,2,2,2]; T[2,2,2]",
         {.formula = layer<1>}},
        {"RNN-14.. layout=1 direction={forward|reverse}",
         "T[2,3,2] random; T[1,2,2] random; T[1,2,2] random; -; T1[2] {3 1|0 2}; T[2,1,2] random",
         "T[2,3,1,2]; T[2,1,2]",
         {.formula = layer<1>}},
        {"RNN activations={[Tanh]|[tanh,tanh]}",
         "T[2,1,1] random; T[1,1,1] random; T[1,1,1] random",
         "T[2,1,1,1]; T[1,1,1]",
         {.formula = layer<1>}},
        {"GRU-3..",
         "T[3,2,2] random; T[1,6,2] random; T[1,6,2] random; {-|T[1,12] random}",
         "T[3,1,2,2]; T[1,2,2]",
         {.formula = layer<3>}},
        {"GRU-1", "T[3,1,2] random; T[1,6,2] random; T[1,6,2] random", "T[3,1,1,2]; T[1,1,2]", {.formula = layer<3>}},
        {"GRU direction={forward|reverse} linear_before_reset={0|1}",
         "T[3,2,2] random; T[1,6,2] random; T[1,6,2] random; T[1,12] random; T1[2] 3 1; T[1,2,2] random",
         "T[3,1,2,2]; T[1,2,2]",
         {.formula = layer<3>}},
        {"GRU-14.. layout=1 direction=bidirectional linear_before_reset={0|1}",
         "T[2,3,2] random; T[2,3,2] random; T[2,3,1] random; T[2,6] random; T1[2] {2 3|0 0}; T[2,2,1] random",
         "T[2,3,2,1]; T[2,2,1]",
         {.formula = layer<3>}},
        {"LSTM direction={forward|reverse} input_forget={0|1}",
         "T[3,2,2] random; T[1,8,2] random; T[1,8,2] random; {-|T[1,16] random}",
         "T[3,1,2,2]; T[1,2,2]; T[1,2,2]",
         {.formula = layer<4>}},
        {"LSTM direction=bidirectional",
         "T[3,2,2] random; T[2,8,2] random; T[2,8,2] random; T[2,16] random; T1[2] {3 1|0 2}; {-|T[2,2,2] random}; "
         "{-|T[2,2,2] random}; T[2,6] random",
         "T[3,2,2,2]; T[2,2,2]; T[2,2,2]",
         {.formula = layer<4>}},
        {"LSTM-14.. layout=1 direction={forward|reverse}",
         "T[2,3,2] random; T[1,8,2] random; T[1,8,2] random; -; T1[2] 3 1; T[2,1,2] random; T[2,1,2] random; T[1,6] "
         "random",
         "T[2,3,1,2]; T[2,1,2]; T[2,1,2]",
         {.formula = layer<4>}},
        {"LSTM-14 layout=1",
         "float[0,3,2]; float[1,4,2] random; float[1,4,1] random",
         "float[0,3,1,1]; float[0,1,1]; float[0,1,1]",
         {.formula = layer<4>}},
        {"LSTM-22", "float[0,2,2]; float[1,4,2] random; float[1,4,1] random; -; -; float[1,2,1] 3 4; float[1,2,1] 5 6",
         "float[0,1,2,1]; float[1,2,1] 3 4; float[1,2,1] 5 6"},
        // Without peepholes no gate sees a cell that is infinite.
        {"LSTM-22", "float[1,1,1] 0; float[1,4,1] fill 0; float[1,4,1] fill 0; -; -; -; float[1,1,1] inf",
         "float[1,1,1,1] 0.5; float[1,1,1] 0.5; float[1,1,1] inf"},
        {"GRU-22",
         "float[2,3,0]; float[1,3,0]; float[1,3,1] random; float[1,6] random",
         "float[2,1,3,1]; float[1,3,1]",
         {.formula = layer<3>}},
        {"RNN-22", "float[1099511627776,1,0]; float[1,0,0]; float[1,0,0]", "float[1099511627776,1,1,0]; float[1,1,0]"},
        // Outputs that are not wanted.
        {"LSTM", "T[2,1,1] random; T[1,4,1] random; T[1,4,1] fill 0", "-; -; T[1,1,1]", {.formula = layer<4>}},
        {"GRU", "T[2,1,1] random; T[1,3,1] random; T[1,3,1] random", "-; T[1,1,1]", {.formula = layer<3>}},
        {"RNN", "T[2,1,1] random; T[1,1,1] random; T[1,1,1] random", "-; T[1,1,1]", {.formula = layer<1>}},
        {"RNN-22", "double[2,1,1] nan 1; double[1,1,1] 1; double[1,1,1] 0",
         "double[2,1,1,1] nan nan; double[1,1,1] nan"},
    });

const Cases runtime(
    "RecurrentActivations",
    {
        {"RNN-22 hidden_size=2 activations=[LeakyRelu] activation_alpha=[0.25] clip=0.5",
         "float[2,1,2] -0.83 -0.53 0.6 0.16; float[1,2,2] -0.81 -0.13 -0.04 -0.68; float[1,2,2] 0.47 -0.77 -0.22 0.03; "
         "float[1,4] -0.14 0.17 0.48 0.91",
         "float[2,1,1,2] 0.5 0.5 -0.0792000145 0.5; float[1,1,2] -0.0792000145 0.5",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=1 direction=bidirectional activations=[Affine,HardSigmoid] activation_alpha=[0.5,0.3] "
         "activation_beta=[0.1,0.4]",
         "float[2,1,2] -0.43 0.3 0.39 -0.41; float[2,1,2] -1 0.95 -0.4 -0.37; float[2,1,1] 0.78 0.17; float[2,2] -0.06 "
         "0.55 -0.94 0.41; -; float[2,1,1] -0.25 -0.82",
         "float[2,2,1,1] 0.605000019 0.269392401 0.191200018 0.197889999; float[2,1,1] 0.191200018 0.269392401",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[Softplus]",
         "float[1,1,2] 0.96 2.59; float[1,2,2] -0.59 0.26 -0.4 0.48; float[1,2,2] 0.44 -0.56 0.66 0.32; float[1,4] "
         "0.37 0.64 -0.14 0.52",
         "float[1,1,1,2] 0.875776589 2.14385843; float[1,1,2] 0.875776589 2.14385843",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[Softsign]",
         "float[1,1,2] 2.27 -2.39; float[1,2,2] 0.7 -0.21 -0.04 -0.71; float[1,2,2] 0.4 -0.42 0.74 -0.45; float[1,4] "
         "0.12 -0.2 0.23 -0.61",
         "float[1,1,1,2] 0.709378362 0.443238139; float[1,1,2] 0.709378362 0.443238139",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[Elu] activation_alpha=[0.5]",
         "float[1,1,2] -1.92 1.48; float[1,2,2] 0.5 0.13 0.84 -0.59; float[1,2,2] 0.7 -0.66 0.93 0.25; float[1,4] 0.21 "
         "0.94 0.57 0.58",
         "float[1,1,1,2] 0.0123999715 -0.309698761; float[1,1,2] 0.0123999715 -0.309698761",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[Elu]",
         "float[1,1,2] -2.68 -0.78; float[1,2,2] -0.83 -0.61 -0.57 0.72; float[1,2,2] -0.75 -0.41 -0.01 0.7; "
         "float[1,4] 0.93 0.42 -0.57 0.09",
         "float[1,1,1,2] 3.06020021 1.47600007; float[1,1,2] 3.06020021 1.47600007",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[ScaledTanh] activation_alpha=[1.5] activation_beta=[0.5]",
         "float[1,1,2] 1.24 -2.69; float[1,2,2] 0.36 -0.26 0.18 0.34; float[1,2,2] 0.34 0.05 0.11 -0.6; float[1,4] "
         "-0.01 -0.75 -0.04 0.07",
         "float[1,1,1,2] 0.748417139 -0.892818809; float[1,1,2] 0.748417139 -0.892818809",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[ThresholdedRelu] activation_alpha=[0.2]",
         "float[1,1,2] 1.64 -0.64; float[1,2,2] -0.96 0.06 -0.59 0.48; float[1,2,2] -0.22 -0.24 0.82 -0.21; float[1,4] "
         "-0.3 -0.3 -0.04 -0.81",
         "float[1,1,1,2] 0 0; float[1,1,2] 0 0",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[Relu]",
         "float[1,1,2] 0.28 2.53; float[1,2,2] 0.13 0.49 0.89 0.68; float[1,2,2] 0.49 0.63 0.64 -0.49; float[1,4] "
         "-0.04 -0.31 -0.48 0.14",
         "float[1,1,1,2] 0.756099939 1.79960001; float[1,1,2] 0.756099939 1.79960001",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[Sigmoid]",
         "float[1,1,2] -1.09 0.71; float[1,2,2] 0.16 -0.79 -0.12 -0.22; float[1,2,2] 0.41 -0.82 -0.66 0.03; float[1,4] "
         "-0.19 0.33 -0.33 -0.61",
         "float[1,1,1,2] 0.221784055 0.424237937; float[1,1,2] 0.221784055 0.424237937",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[HardSigmoid]",
         "float[1,1,2] 2.59 -1.54; float[1,2,2] -0.71 -0.44 -0.32 -0.55; float[1,2,2] 0.07 0.87 -0.75 -0.17; "
         "float[1,4] 0.34 0.77 1 -0.71",
         "float[1,1,1,2] 0.535740018 0.51564002; float[1,1,2] 0.535740018 0.51564002",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[LeakyRelu]",
         "float[1,1,2] 0.22 2.29; float[1,2,2] -0.89 0.18 -0.65 0.54; float[1,2,2] 0.88 0.08 -0.98 -0.87; float[1,4] "
         "-0.17 0.69 -0.53 0.34",
         "float[1,1,1,2] -0.00483599957 2.12360001; float[1,1,2] -0.00483599957 2.12360001",
         {.tolerance = 1e-6}},
        {"RNN-22 hidden_size=2 activations=[ThresholdedRelu]",
         "float[1,1,2] -0.57 -1.41; float[1,2,2] 0.41 -0.38 -0.26 0.53; float[1,2,2] -0.01 0.57 0.03 -0.68; float[1,4] "
         "-0.11 0.75 0.13 0.93",
         "float[1,1,1,2] 0 1.08090007; float[1,1,2] 0 1.08090007",
         {.tolerance = 1e-6}},
        {"GRU-22 hidden_size=2 activations=[HardSigmoid,Softsign] clip=0.7",
         "float[2,1,2] -1 -0.32 0.54 0.37; float[1,6,2] 0.12 0.33 0.75 0.37 0.09 0.12 0.33 -0.35 0.34 0.23 0.57 -0.04; "
         "float[1,6,2] -0.95 0.07 0.72 0.28 0.29 -0.22 -0.29 0.44 -0.84 0.73 0.75 0.92; float[1,12] -0.73 -0.77 0.79 "
         "-0.2 -0.46 -0.24 0.32 -0.68 -0.03 0.32 0.44 -0.98; -; float[1,1,2] 0.62 -0.13",
         "float[2,1,1,2] -0.0403293818 -0.310329378 0.0541935824 -0.375247955; float[1,1,2] 0.0541935824 -0.375247955",
         {.tolerance = 1e-6}},
        {"GRU-22 hidden_size=1 direction=bidirectional linear_before_reset=1",
         "float[3,2,1] -0.13 0.12 -0.44 0.77 -0.58 0.09; float[2,3,1] -0.66 0.23 0.8 0.77 -0.73 0.25; float[2,3,1] "
         "0.79 -0.6 -0.17 0.43 0.48 -0.1; float[2,6] 0.28 0.34 -0.29 0.3 0.15 0.39 0.02 -0.33 -0.13 0.84 -0.62 -0.7; "
         "int32[2] 3 1",
         "float[3,2,2,1] -0.0521674491 0.0189907067 -0.302772224 -0.0767830685 -0.152085572 0 -0.287850678 0 "
         "-0.245462954 0 -0.19472158 0; float[2,2,1] -0.245462954 0.0189907067 -0.302772224 -0.0767830685",
         {.tolerance = 1e-6}},
        {"LSTM-22 hidden_size=1 direction=reverse clip=0.5",
         "float[3,2,2] -0.98 0.7 0.98 -0.53 -0.47 -0.6 0.2 -0.03 0.64 -0.58 0.76 -0.07; float[1,4,2] 0.62 0.6 0.82 -0 "
         "0.22 0.12 -0.62 0; float[1,4,1] 0.85 0.82 -0.96 0.33; float[1,8] -0.35 -0.73 -0.72 0.59 0.92 0.04 -0.23 "
         "0.02; int32[2] 2 3; float[1,2,1] 0.66 0.49; float[1,2,1] -0.87 -0.57; float[1,3] 0.74 -0.01 0.32",
         "float[3,1,2,1] 0.0806327537 0.0662830397 -0.0437219739 0.0977211073 0 -0.0195735674; float[1,2,1] "
         "0.0806327537 0.0662830397; float[1,2,1] 0.216912836 0.121553853",
         {.tolerance = 1e-6}},
        {"LSTM-22 hidden_size=1 clip=0.3 activations=[Sigmoid,Tanh,Relu]",
         "float[3,1,2] 1.67 0.82 1.4 0.27 -1.62 -1.88; float[1,4,2] 0.99 -0.98 0.38 0.76 -0.54 -0.9 -0.2 -0.34; "
         "float[1,4,1] -0.08 -0.15 0.88 -0.76; float[1,8] 0.89 -0.91 0.88 -0.33 0.45 -0.99 -0.11 0.36; -; float[1,1,1] "
         "0.26; float[1,1,1] 0.61; float[1,3] -0.69 -0.2 0.23",
         "float[3,1,1,1] 0.039256718 0 0.0406067073; float[1,1,1] 0.0406067073; float[1,1,1] 0.0954200253",
         {.tolerance = 1e-6}},
        {"LSTM-22 hidden_size=1 input_forget=1 direction=bidirectional "
         "activations=[Sigmoid,Tanh,Tanh,HardSigmoid,Relu,Elu] activation_alpha=[0.3,0.7] activation_beta=[0.4]",
         "float[2,1,2] -0.94 0.67 -0.17 -0.51; float[2,4,2] -0.56 0.3 -0.9 -0.51 -0.39 -0.48 0.46 0.18 0.81 0.4 -0.41 "
         "-0.35 -0.75 -0.51 0.21 0.46; float[2,4,1] -0.41 -0.31 0.61 0.92 -0.83 -0.86 0.52 -0.01",
         "float[2,2,1,1] -0.125253931 0.0124316672 -0.144249007 0; float[2,1,1] -0.144249007 0.0124316672; "
         "float[2,1,1] -0.240585864 0.0279193912",
         {.tolerance = 1e-6}},
    });

const Cases refused(
    "RecurrentRefused",
    {
        {"RNN-22 direction=sideways", "float[2,1,1]; float[1,1,1]; float[1,1,1]", "", {.error = "sideways"}},
        {"RNN-22 activations=[Sin]", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1", "", {.error = "Sin"}},
        {"LSTM-22 activations=[Tanh,Tanh]",
         "float[2,1,1] 1 1; float[1,4,1] iota; float[1,4,1] iota",
         "",
         {.error = "3"}},
        {"RNN-22 activation_alpha=[1]", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1", "", {.error = "alpha"}},
        {"RNN-22 clip={-1|nan}", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1", "", {.error = "clip"}},
        {"RNN-22 layout=2", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1", "", {.error = "layout"}},
        {"RNN-22 hidden_size={0|-1|2|max}", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1", "", {.error = "*"}},
        {"RNN-22", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1; -; int32[1] {-1|3|max}", "", {.error = "lens"}},
        {"RNN-22", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1; -; int32[2] 1 1", "", {.error = "*"}},
        {"RNN-22 direction=bidirectional", "float[2,1,1] 1 1; float[1,1,1] 1; float[1,1,1] 1", "", {.error = "*"}},
        {"GRU-22", "float[2,1,1] 1 1; float[1,4,1] iota; float[1,4,1] iota", "", {.error = "*"}},
        {"LSTM-22", "float[2,1] 1 1; float[1,4,1] iota; float[1,4,1] iota", "", {.error = "*"}},
        {"LSTM-22", "float[2,1,1] 1 1; float[1,4,1] iota; float[1,4] iota", "", {.error = "*"}},
        {"LSTM-22", "float[2,1,1] 1 1; float[1,4,1] iota; float[1,4,1] iota; float[1,4] iota", "", {.error = "*"}},
    });

const Cases inferred("RecurrentTypes",
                     {
                         {"LSTM-22 hidden_size=5 direction=bidirectional", "float[S,N,3]; float[2,20,3]; float[2,20,5]",
                          "float[S,2,N,5]; float[2,N,5]; float[2,N,5]"},
                         {"LSTM-14 hidden_size=5 layout=1", "float[N,S,3]; float; float",
                          "float[N,S,1,5]; float[N,1,5]; float[N,1,5]"},
                         {"GRU-7", "float; float; float[1,3*H,H]; -; int32[N]", "float[?,1,N,H]; float[1,N,H]"},
                         {"GRU-1 hidden_size=4", "float[S,N,3]; float; float", "float[S,1,N,4]; float[1,N,4]"},
                         {"RNN-1", "float16[S,N,3]; float16[1,7,3]; float16", "float16[S,1,N,7]; float16[1,N,7]"},
                         {"RNN-22 hidden_size=4", "float[S,N,3]; float[1,5,3]; float", "", {.error = "*"}},
                         {"RNN-22", "float[2,1,3]; float[1,5,4]; float", "", {.error = "*"}},
                         {"RNN-22", "float[2,1]; float; float", "", {.error = "*"}},
                     });

}  // namespace
}  // namespace norn::ops::cases
