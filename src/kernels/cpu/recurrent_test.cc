// Recurrent layers against their equations in double, sequence by sequence.
#include "kernels/cpu/recurrent.h"

#include "kernels/cpu/kernel_test.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

double applied(const RecurrentActivation& f, double clip, double x) {
  x = std::min(clip, std::max(-clip, x));
  const double a = f.a, b = f.b;
  switch (f.function) {
    case RecurrentFunction::Relu: return std::max(x, 0.0);
    case RecurrentFunction::Tanh: return std::tanh(x);
    case RecurrentFunction::Sigmoid: return 0.5 + 0.5 * std::tanh(x / 2);
    case RecurrentFunction::Affine: return a * x + b;
    case RecurrentFunction::LeakyRelu: return x > 0 ? x : a * x;
    case RecurrentFunction::ThresholdedRelu: return x >= a ? x : 0;
    case RecurrentFunction::ScaledTanh: return a * std::tanh(b * x);
    case RecurrentFunction::HardSigmoid: return std::min(1.0, std::max(0.0, a * x + b));
    case RecurrentFunction::Elu: return x > 0 ? x : a * (std::exp(x) - 1);
    case RecurrentFunction::Softsign: return x / (1 + std::abs(x));
    default: return std::log(1 + std::exp(x));
  }
}

struct Tensors {
  std::vector<float> x, w, r, b, h0, c0, p;
  std::vector<std::int32_t> lengths;
};

struct Answer {
  std::vector<double> y, y_h, y_c;
};

Answer computed(const RecurrentConfig& c, const Tensors& in) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::size_t gates = c.layer == RecurrentLayer::Rnn ? 1 : c.layer == RecurrentLayer::Gru ? 3 : 4;
  const std::size_t functions = gates == 1 ? 1 : gates - 1;
  const std::size_t steps = size(c.steps), batch = size(c.batch), hidden = size(c.hidden), features = size(c.features),
                    directions = size(c.directions);
  Answer out;
  out.y.assign(steps * directions * batch * hidden, 0);
  out.y_h.assign(directions * batch * hidden, 0);
  out.y_c = out.y_h;
  for (std::size_t d = 0; d < directions; ++d)
    for (std::size_t n = 0; n < batch; ++n) {
      const std::size_t state = (c.batch_first ? n * directions + d : d * batch + n) * hidden;
      std::vector<double> h(hidden), cell(hidden), next(hidden);
      for (std::size_t j = 0; j < hidden; ++j) {
        h[j] = in.h0.empty() ? 0 : in.h0[state + j];
        cell[j] = in.c0.empty() ? 0 : in.c0[state + j];
      }
      const std::size_t length = in.lengths.empty() ? steps : size(in.lengths[n]);
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t t = c.reverse || d == 1 ? length - 1 - k : k;
        const float* x = in.x.data() + (c.batch_first ? n * steps + t : t * batch + n) * features;
        const auto input = [&](std::size_t g, std::size_t j) {
          const std::size_t row = (d * gates + g) * hidden + j;
          double sum = in.b.empty() ? 0 : in.b[(2 * d * gates + g) * hidden + j];
          for (std::size_t i = 0; i < features; ++i) sum += static_cast<double>(in.w[row * features + i]) * x[i];
          return sum;
        };
        const auto product = [&](std::size_t g, std::size_t j, const std::vector<double>& v) {
          const std::size_t row = (d * gates + g) * hidden + j;
          double sum = in.b.empty() ? 0 : in.b[((2 * d + 1) * gates + g) * hidden + j];
          for (std::size_t i = 0; i < hidden; ++i) sum += static_cast<double>(in.r[row * hidden + i]) * v[i];
          return sum;
        };
        const auto f = [&](std::size_t i, double v) { return applied(c.activations[d * functions + i], c.clip, v); };
        const auto peephole = [&](std::size_t i, std::size_t j) {
          return in.p.empty() ? 0.0 : in.p[(d * 3 + i) * hidden + j];
        };
        if (c.layer == RecurrentLayer::Gru) {
          std::vector<double> z(hidden), r(hidden), rh(hidden);
          for (std::size_t j = 0; j < hidden; ++j) {
            z[j] = f(0, input(0, j) + product(0, j, h));
            r[j] = f(0, input(1, j) + product(1, j, h));
            rh[j] = r[j] * h[j];
          }
          for (std::size_t j = 0; j < hidden; ++j) {
            const double g = c.linear_before_reset ? r[j] * product(2, j, h) : product(2, j, rh);
            next[j] = (1 - z[j]) * f(1, input(2, j) + g) + z[j] * h[j];
          }
        } else {
          for (std::size_t j = 0; j < hidden; ++j) {
            const auto sum = [&](std::size_t g) { return input(g, j) + product(g, j, h); };
            if (c.layer == RecurrentLayer::Rnn) {
              next[j] = f(0, sum(0));
              continue;
            }
            const double i = f(0, sum(0) + peephole(0, j) * cell[j]);
            const double forget = c.input_forget ? 1 - i : f(0, sum(2) + peephole(2, j) * cell[j]);
            cell[j] = forget * cell[j] + i * f(1, sum(3));
            next[j] = f(0, sum(1) + peephole(1, j) * cell[j]) * f(2, cell[j]);
          }
        }
        h = next;
        const std::size_t at =
            c.batch_first ? ((n * steps + t) * directions + d) * hidden : ((t * directions + d) * batch + n) * hidden;
        std::copy(h.begin(), h.end(), out.y.begin() + static_cast<std::ptrdiff_t>(at));
      }
      std::copy(h.begin(), h.end(), out.y_h.begin() + static_cast<std::ptrdiff_t>(state));
      std::copy(cell.begin(), cell.end(), out.y_c.begin() + static_cast<std::ptrdiff_t>(state));
    }
  return out;
}

struct Optional {
  bool b = true, lengths = false, states = false, peepholes = false, constant = true, y = true;
};

void check(RecurrentConfig c, const Optional& with) {
  const std::int64_t gates = c.layer == RecurrentLayer::Rnn ? 1 : c.layer == RecurrentLayer::Gru ? 3 : 4;
  const RecurrentActivation sigmoid{RecurrentFunction::Sigmoid}, tanh{RecurrentFunction::Tanh};
  if (c.activations.empty())
    for (std::int64_t d = 0; d < c.directions; ++d) {
      if (gates > 1) c.activations.push_back(sigmoid);
      c.activations.push_back(tanh);
      if (gates > 3) c.activations.push_back(tanh);
    }
  const float scale = 1 / std::sqrt(static_cast<float>(c.hidden));
  const std::int64_t states = c.directions * c.batch * c.hidden;
  Tensors in;
  in.x = random_floats(c.steps * c.batch * c.features, 1);
  in.w = random_floats(c.directions * gates * c.hidden * c.features, 2, -scale, scale);
  in.r = random_floats(c.directions * gates * c.hidden * c.hidden, 3, -scale, scale);
  if (with.b) in.b = random_floats(c.directions * 2 * gates * c.hidden, 4);
  if (with.states) in.h0 = random_floats(states, 5), in.c0 = random_floats(states, 6);
  if (with.peepholes) in.p = random_floats(c.directions * 3 * c.hidden, 7);
  if (with.lengths)
    for (std::int64_t n = 0; n < c.batch; ++n)
      in.lengths.push_back(static_cast<std::int32_t>(n == 0 ? c.steps : (n * 7) % (c.steps + 1)));
  if (with.constant) {
    c.w.data = in.w.data();
    c.r.data = in.r.data();
  }
  const auto& candidate = recurrent_candidates()[0];
  ASSERT_EQ(candidate.refuses(c), "");
  Constants constants;
  const auto kernel = candidate.make(c, constants);
  const Answer want = computed(c, in);
  std::vector<float> y(want.y.size(), -7), y_h(want.y_h.size(), -7);
  const auto given = [](auto& v) -> void* { return v.empty() ? nullptr : v.data(); };
  const auto y_c = run_at_widths(*kernel,
                                 {in.x.data(), in.w.data(), in.r.data(), given(in.b), given(in.lengths), given(in.h0),
                                  given(in.c0), given(in.p), with.y ? y.data() : nullptr, y_h.data()},
                                 std::vector<float>(want.y_c.size(), -7));
  if (with.y) expect_close(y, want.y, 2e-5, "Y");
  expect_close(y_h, want.y_h, 2e-5, "Y_h");
  if (c.layer == RecurrentLayer::Lstm) expect_close(y_c, want.y_c, 2e-5, "Y_c");
}

constexpr RecurrentLayer kLayers[] = {RecurrentLayer::Rnn, RecurrentLayer::Gru, RecurrentLayer::Lstm};

TEST(Recurrent, Sizes) {
  for (const RecurrentLayer layer : kLayers)
    for (const bool batch_first : {false, true})
      for (const auto& [steps, batch, features, hidden] :
           {std::tuple{1, 1, 1, 1}, {7, 1, 5, 3}, {6, 3, 40, 17}, {5, 9, 8, 64}, {90, 2, 3, 33}, {130, 1, 4, 16}}) {
        RecurrentConfig c = {layer, 2, steps, batch, features, hidden};
        c.batch_first = batch_first;
        check(c, {});
        check(c, {.lengths = true, .states = true});
        c.directions = 1;
        c.reverse = true;
        c.linear_before_reset = layer == RecurrentLayer::Gru;
        check(c, {.b = false, .lengths = true, .constant = false});
        check(c, {.states = true, .y = false});
      }
}

TEST(Recurrent, LstmForms) {
  RecurrentConfig c = {RecurrentLayer::Lstm, 2, 9, 4, 6, 21};
  check(c, {.states = true, .peepholes = true});
  c.input_forget = true;
  c.clip = 0.3f;
  check(c, {.lengths = true, .peepholes = true});
}

TEST(Recurrent, Functions) {
  for (int f = 0; f <= static_cast<int>(RecurrentFunction::Softplus); ++f)
    for (const RecurrentLayer layer : kLayers) {
      RecurrentConfig c = {layer, 1, 4, 2, 5, 19};
      c.activations.assign(layer == RecurrentLayer::Rnn   ? 1
                           : layer == RecurrentLayer::Gru ? 2
                                                          : 3,
                           {static_cast<RecurrentFunction>(f), 0.3f, 0.6f});
      check(c, {});
    }
}

// Products of a step shared out by units, chunks of steps, sequences shared out.
TEST(Recurrent, Large) {
  check({RecurrentLayer::Lstm, 1, 3, 1, 16, 512}, {});
  check({RecurrentLayer::Rnn, 2, 5, 2, 16, 2048}, {.lengths = true});
  RecurrentConfig c = {RecurrentLayer::Gru, 1, 4, 1, 8, 640};
  c.linear_before_reset = true;
  check(c, {.states = true});
  check({RecurrentLayer::Lstm, 1, 70, 40, 3, 96}, {.lengths = true});
  check({RecurrentLayer::Gru, 2, 40, 64, 3, 64}, {});
}

TEST(Recurrent, Refusals) {
  const auto& candidate = recurrent_candidates()[0];
  RecurrentConfig c = {RecurrentLayer::Rnn, 1, 2, 2, 2, 4};
  EXPECT_NE(candidate.refuses(c), "");
  c.activations = {{RecurrentFunction::Tanh}};
  EXPECT_EQ(candidate.refuses(c), "");
  for (auto member :
       {&RecurrentConfig::steps, &RecurrentConfig::batch, &RecurrentConfig::features, &RecurrentConfig::hidden})
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1} << 46, INT64_MAX}) {
      RecurrentConfig other = c;
      other.*member = size;
      EXPECT_NE(candidate.refuses(other), "") << size;
    }
  Constants constants;
  const auto kernel = candidate.make(c, constants);
  const auto memory = aligned_buffer(kernel->scratch_bytes());
  std::vector<float> some(64);
  std::vector<std::int32_t> lengths = {1, 3};
  void* operands[11] = {some.data(), some.data(), some.data(), nullptr, lengths.data(), nullptr, nullptr, nullptr};
  EXPECT_THROW(kernel->run(operands, memory.get()), Error);
  lengths = {-1, 0};
  EXPECT_THROW(kernel->run(operands, memory.get()), Error);
}

}  // namespace
}  // namespace norn::kernels
