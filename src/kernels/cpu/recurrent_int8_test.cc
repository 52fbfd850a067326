// LSTM by products of 8-bit integers against its equations in double, with X and the states rounded as a plain loop
// rounds them.
#include <algorithm>
#include <limits>

#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/recurrent.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

using Op = QuantizedRecurrentOperand;
using Doubles = std::vector<double>;

std::size_t count_of(std::int64_t n) { return static_cast<std::size_t>(n); }

// The nearest of 256 numbers from the least to the largest, one of which is 0.
Doubles rounded_to_byte(const Doubles& x) {
  float low = 0, high = 0;
  for (const double v : x) {
    if (std::isnan(v)) return Doubles(x.size(), v);
    low = std::min(low, static_cast<float>(v));
    high = std::max(high, static_cast<float>(v));
  }
  const float step = (high - low) / 255;
  if (step == 0) return x;
  Doubles to;
  const float zero = std::nearbyintf(-low / step);
  for (const double v : x) {
    const float place = std::nearbyintf(static_cast<float>(v) / step) + zero;
    to.push_back((std::clamp(place, 0.0f, 255.0f) - zero) * static_cast<double>(step));
  }
  return to;
}

struct ByteWeights {
  std::vector<std::uint8_t> w, zero;  // bytes of either type
  std::vector<float> scale;
  bool is_signed;

  ByteWeights(const RecurrentConfig& c, std::int64_t depth, DataType type, bool by_column, bool extreme, unsigned seed)
      : is_signed(type == DataType::Int8) {
    std::mt19937 engine(seed);
    const std::int64_t columns = 4 * c.hidden, counts = c.directions * (by_column ? columns : 1);
    for (std::int64_t i = 0; i < c.directions * depth * columns; ++i)
      w.push_back(static_cast<std::uint8_t>(extreme ? (engine() % 2 != 0 ? 128 : 127) : engine()));
    const float unit = 2 / (128 * std::sqrt(static_cast<float>(depth)));
    for (std::int64_t i = 0; i < counts; ++i) {
      zero.push_back(static_cast<std::uint8_t>(by_column ? engine() : is_signed ? i * 3 : 131 + i));
      scale.push_back(unit * (0.25f + static_cast<float>(engine() % 100) / 100));
    }
  }
  double at(std::size_t d, std::size_t row, std::size_t column, std::size_t depth, std::size_t hidden) const {
    const auto number = [&](std::uint8_t byte) {
      return is_signed ? static_cast<int>(static_cast<std::int8_t>(byte)) : static_cast<int>(byte);
    };
    const std::size_t columns = 4 * hidden, own = zero.size() <= 2 && columns > 2 ? d : d * columns + column;
    return (number(w[(d * depth + row) * columns + column]) - number(zero[own])) * static_cast<double>(scale[own]);
  }
};

struct Int8Form {
  DataType type = DataType::Int8;
  bool by_column = false, extreme = false;
  bool b = true, lengths = false, states = false, peepholes = false, y = true;
};

double sigmoid_of(double x) { return 0.5 + 0.5 * std::tanh(x / 2); }

void check_int8(RecurrentConfig c, const Int8Form& form, double nan_at = -1) {
  const bool functions = !c.activations.empty();  // HardSigmoid, Softsign and Elu
  for (std::int64_t d = 0; !functions && d < c.directions; ++d)
    for (const auto f : {RecurrentFunction::Sigmoid, RecurrentFunction::Tanh, RecurrentFunction::Tanh})
      c.activations.push_back({f});
  const auto gate = [&](double x) {
    x = std::clamp<double>(x, -c.clip, c.clip);
    return functions ? std::clamp(0.2 * x + 0.5, 0.0, 1.0) : sigmoid_of(x);
  };
  const auto cell_function = [&](double x) {
    x = std::clamp<double>(x, -c.clip, c.clip);
    return functions ? x / (1 + std::abs(x)) : std::tanh(x);
  };
  const auto state_function = [&](double x) {
    x = std::clamp<double>(x, -c.clip, c.clip);
    return functions ? (x > 0 ? x : std::exp(x) - 1) : std::tanh(x);
  };
  const std::size_t steps = count_of(c.steps), batch = count_of(c.batch), hidden = count_of(c.hidden),
                    features = count_of(c.features), directions = count_of(c.directions);
  const std::int64_t state_count = c.directions * c.batch * c.hidden;
  std::vector<float> x = random_floats(c.steps * c.batch * c.features, 1, -0.7f, 1.3f), b, h0, c0, p;
  if (nan_at >= 0) x[static_cast<std::size_t>(nan_at * static_cast<double>(x.size()))] = NAN;
  const ByteWeights w(c, c.features, form.type, form.by_column, form.extreme, 2),
      r(c, c.hidden, form.type, form.by_column, form.extreme, 3);
  if (form.b) b = random_floats(c.directions * 8 * c.hidden, 4);
  if (form.states) h0 = random_floats(state_count, 5), c0 = random_floats(state_count, 6);
  if (form.peepholes) p = random_floats(c.directions * 3 * c.hidden, 7);
  std::vector<std::int32_t> lengths;
  for (std::int64_t n = 0; form.lengths && n < c.batch; ++n)
    lengths.push_back(static_cast<std::int32_t>(n == 0 ? c.steps : (n * 7) % (c.steps + 1)));

  const Doubles seen_x = rounded_to_byte(Doubles(x.begin(), x.end()));
  Doubles y(steps * directions * batch * hidden), y_h(directions * batch * hidden), y_c(y_h);
  for (std::size_t d = 0; d < directions; ++d)
    for (std::size_t n = 0; n < batch; ++n) {
      const std::size_t state = (d * batch + n) * hidden;
      Doubles h(hidden), cell(hidden);
      for (std::size_t j = 0; form.states && j < hidden; ++j) h[j] = h0[state + j], cell[j] = c0[state + j];
      const std::size_t length = lengths.empty() ? steps : count_of(lengths[n]);
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t t = c.reverse || d == 1 ? length - 1 - k : k;
        const Doubles seen = rounded_to_byte(h);
        for (std::size_t j = 0; j < hidden; ++j) {
          const auto sum = [&](std::size_t g) {
            const std::size_t column = g * hidden + j;
            double all =
                form.b ? static_cast<double>(b[d * 8 * hidden + column]) + b[(2 * d + 1) * 4 * hidden + column] : 0;
            for (std::size_t i = 0; i < features; ++i)
              all += seen_x[(t * batch + n) * features + i] * w.at(d, i, column, features, hidden);
            for (std::size_t i = 0; i < hidden; ++i) all += seen[i] * r.at(d, i, column, hidden, hidden);
            return all;
          };
          const auto peephole = [&](std::size_t i) {
            return form.peepholes ? p[(d * 3 + i) * hidden + j] * cell[j] : 0.0;
          };
          const double in = gate(sum(0) + peephole(0));
          const double forget = c.input_forget ? 1 - in : gate(sum(2) + peephole(2));
          cell[j] = forget * cell[j] + in * cell_function(sum(3));
          h[j] = gate(sum(1) + peephole(1)) * state_function(cell[j]);
        }
        std::copy(h.begin(), h.end(),
                  y.begin() + static_cast<std::ptrdiff_t>(((t * directions + d) * batch + n) * hidden));
      }
      std::copy(h.begin(), h.end(), y_h.begin() + static_cast<std::ptrdiff_t>(state));
      std::copy(cell.begin(), cell.end(), y_c.begin() + static_cast<std::ptrdiff_t>(state));
    }

  QuantizedRecurrentConfig config{c, form.type};
  config.layer.w.data = w.w.data();
  config.layer.r.data = r.w.data();
  config.w_zero.data = w.zero.data();
  config.r_zero.data = r.zero.data();
  config.w_scales = config.w_zeros = static_cast<std::int64_t>(w.zero.size()) / c.directions;
  config.r_scales = config.r_zeros = static_cast<std::int64_t>(r.zero.size()) / c.directions;
  const auto& candidate = quantized_recurrent_candidates()[0];
  ASSERT_EQ(candidate.refuses(config), "");
  Constants constants;
  const auto kernel = candidate.make(config, constants);
  std::vector<float> got_y(y.size(), -7), got_h(y_h.size(), -7);
  const auto given = [](const auto& v) -> void* {
    return v.empty() ? nullptr : const_cast<void*>(static_cast<const void*>(v.data()));
  };
  const auto got_c =
      run_at_widths(*kernel,
                    {x.data(), nullptr, nullptr, given(b), given(lengths), given(h0), given(c0), given(p),
                     given(w.scale), nullptr, given(r.scale), nullptr, form.y ? got_y.data() : nullptr, got_h.data()},
                    std::vector<float>(y_c.size(), -7));
  if (form.y) expect_close(got_y, y, 3e-5, "Y");
  expect_close(got_h, y_h, 3e-5, "Y_h");
  expect_close(got_c, y_c, 3e-5, "Y_c");
}

constexpr RecurrentLayer kLstm = RecurrentLayer::Lstm;

TEST(RecurrentInt8, Sizes) {
  for (const DataType type : {DataType::Uint8, DataType::Int8})
    for (const bool by_column : {false, true})
      for (const auto& [steps, batch, features, hidden] :
           {std::tuple{1, 1, 1, 1}, {7, 1, 5, 3}, {4, 3, 40, 17}, {3, 9, 8, 64}, {30, 2, 3, 33}, {40, 1, 4, 16}}) {
        RecurrentConfig c = {kLstm, 2, steps, batch, features, hidden};
        check_int8(c, {.type = type, .by_column = by_column});
        check_int8(c, {.type = type, .by_column = by_column, .lengths = true, .states = true});
        c.directions = 1;
        check_int8(c, {.type = type, .by_column = by_column, .states = true, .y = false});
        c.reverse = true;
        check_int8(c, {.type = type, .by_column = by_column, .b = false, .lengths = true});
      }
}

TEST(RecurrentInt8, Forms) {
  RecurrentConfig c = {kLstm, 2, 6, 4, 6, 21};
  check_int8(c, {.states = true, .peepholes = true});
  c.input_forget = true;
  c.clip = 0.3f;
  check_int8(c, {.type = DataType::Uint8, .lengths = true, .peepholes = true});
  c.clip = std::numeric_limits<float>::infinity();
  for (int d = 0; d < 2; ++d)
    for (const auto& f :
         {RecurrentActivation{RecurrentFunction::HardSigmoid, 0.2f, 0.5f},
          RecurrentActivation{RecurrentFunction::Softsign}, RecurrentActivation{RecurrentFunction::Elu, 1.0f}})
      c.activations.push_back(f);
  check_int8(c, {.by_column = true, .states = true});
}

// Sums of the largest products that there are; a NaN in X is one in everything.
TEST(RecurrentInt8, OddNumbers) {
  for (const DataType type : {DataType::Uint8, DataType::Int8})
    check_int8({kLstm, 1, 3, 2, 70, 40}, {.type = type, .by_column = true, .extreme = true, .states = true});
  check_int8({kLstm, 1, 2, 2, 5, 20}, {.b = false}, 0.7);
}

// Several groups of sequences, pieces of units, and chunks of steps.
TEST(RecurrentInt8, SharedWork) {
  check_int8({kLstm, 1, 2, 40, 64, 256}, {.by_column = true, .lengths = true, .y = false});
  check_int8({kLstm, 1, 2, 1, 32, 512}, {.states = true});
  check_int8({kLstm, 1, 70, 64, 8, 32}, {.y = false});
}

TEST(RecurrentInt8, Refusals) {
  const auto& candidate = quantized_recurrent_candidates()[0];
  std::vector<std::uint8_t> some(4096, 3);
  QuantizedRecurrentConfig c{{kLstm, 1, 2, 2, 3, 4}};
  for (const auto f : {RecurrentFunction::Sigmoid, RecurrentFunction::Tanh, RecurrentFunction::Tanh})
    c.layer.activations.push_back({f});
  c.layer.w.data = c.layer.r.data = c.w_zero.data = c.r_zero.data = some.data();
  EXPECT_EQ(candidate.refuses(c), "");
  for (auto member :
       {&RecurrentConfig::steps, &RecurrentConfig::batch, &RecurrentConfig::features, &RecurrentConfig::hidden})
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1} << 46, INT64_MAX}) {
      QuantizedRecurrentConfig other = c;
      other.layer.*member = count;
      EXPECT_NE(candidate.refuses(other), "") << count;
    }
  QuantizedRecurrentConfig other = c;
  other.r_zero = {};
  EXPECT_NE(candidate.refuses(other), "");
  other = c;
  other.layer.w = {};
  EXPECT_NE(candidate.refuses(other), "");
  other = c;
  other.layer.hidden = 40000;
  EXPECT_NE(candidate.refuses(other), "");
  Constants constants;
  const auto kernel = candidate.make(c, constants);
  const auto memory = aligned_buffer(kernel->scratch_bytes());
  std::vector<float> numbers(64);
  std::vector<std::int32_t> lengths = {1, 3};
  void* operands[Op::kCount] = {numbers.data(), nullptr, nullptr, nullptr, lengths.data()};
  operands[Op::WScale] = operands[Op::RScale] = numbers.data();
  EXPECT_THROW(kernel->run(operands, memory.get()), Error);
}

}  // namespace
}  // namespace norn::kernels
