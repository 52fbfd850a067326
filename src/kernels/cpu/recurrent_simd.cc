// Gates of recurrent layers for each instruction set.
#include <algorithm>

#include "base/fork.h"
#include "kernels/cpu/recurrent_row.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/recurrent_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace recurrent_simd_cc {

HWY_INLINE V zero_below(V x) { return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Zero(F()), x); }
HWY_INLINE V where_negative(V x, V negative) { return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), negative, x); }

HWY_NOINLINE V apply(const RecurrentActivation& f, V x) {
  const V a = constant(f.a), b = constant(f.b), one = constant(1.0f);
  switch (f.function) {
    case RecurrentFunction::Relu: return zero_below(x);
    case RecurrentFunction::Tanh: return tanh(x);
    case RecurrentFunction::Sigmoid: return sigmoid(x);
    case RecurrentFunction::Affine: return hn::MulAdd(a, x, b);
    case RecurrentFunction::LeakyRelu: return where_negative(x, hn::Mul(a, x));
    case RecurrentFunction::ThresholdedRelu: return hn::IfThenElse(hn::Lt(x, a), hn::Zero(F()), x);
    case RecurrentFunction::ScaledTanh: return hn::Mul(a, tanh(hn::Mul(b, x)));
    case RecurrentFunction::HardSigmoid: return at_most(one, at_least(hn::Zero(F()), hn::MulAdd(a, x, b)));
    case RecurrentFunction::Elu: return where_negative(x, hn::Mul(a, expm1(x)));
    case RecurrentFunction::Softsign: {
      const V size = hn::Abs(x);
      const auto infinite = hn::Eq(size, constant(__builtin_inff()));
      return hn::IfThenElse(infinite, hn::CopySign(one, x), hn::Div(x, hn::Add(one, size)));
    }
    default: return softplus(x);
  }
}

// The functions of a direction: those that are the operators' defaults, or any.
struct DefaultFunctions {
  explicit DefaultFunctions(const RecurrentRule&) {}
  HWY_INLINE V gate(V x) const { return sigmoid(x); }
  HWY_INLINE V first(V x) const { return tanh(x); }
  HWY_INLINE V cell(V x) const { return tanh(x); }
  HWY_INLINE V state(V x) const { return tanh(x); }
};
struct AnyFunctions {
  explicit AnyFunctions(const RecurrentRule& rule) : f(rule.activations), clip(rule.clip) {}
  HWY_INLINE V clipped(V x) const { return at_most(constant(clip), at_least(constant(-clip), x)); }
  HWY_INLINE V gate(V x) const { return apply(f[0], clipped(x)); }
  HWY_INLINE V first(V x) const { return apply(f[0], clipped(x)); }
  HWY_INLINE V cell(V x) const { return apply(f[1], clipped(x)); }
  HWY_INLINE V state(V x) const { return apply(f[2], clipped(x)); }
  const RecurrentActivation* f;
  float clip;
};

// Unit `at`, of which `n` are left.
struct Units {
  std::int64_t at, n;
  HWY_INLINE V load(const float* p) const {
    return n >= static_cast<std::int64_t>(hn::Lanes(F())) ? hn::LoadU(F(), p + at) : load_tail(p + at, n, 0.0f);
  }
  HWY_INLINE void store(V v, float* p) const {
    if (n >= static_cast<std::int64_t>(hn::Lanes(F())))
      hn::StoreU(v, F(), p + at);
    else
      store_tail(v, p + at, n);
  }
  HWY_INLINE V sum(const RecurrentRow& row, std::int64_t gate) const {
    return hn::Add(load(row.input + gate * row.gate_step), load(row.product + gate * row.gate_step));
  }
};
// What a gate of some units is given: of sums in f32, or of integers.
struct RealGates {
  const RecurrentRow& row;
  HWY_INLINE V sum(Units u, std::int64_t gate) const { return u.sum(row, gate); }
};
struct WholeGates {
  const GateSums& s;
  HWY_INLINE V sum(Units u, std::int64_t gate) const {
    // Blocks are there as a whole, also the last one.
    const std::int64_t at = u.at / kGateUnits * kGateColumns + gate * kGateUnits + u.at % kGateUnits;
    const auto real = [](VI whole, float scale, const float* scales) HWY_ATTR {
      return hn::Mul(hn::Mul(hn::ConvertTo(F(), whole), constant(scale)), hn::LoadU(F(), scales));
    };
    const VI less = hn::Mul(hn::LoadU(I(), s.column_sums + at), hn::Set(I(), s.zero));
    const VI product = hn::Sub(hn::LoadU(I(), s.product + at), less);
    const V input = real(hn::LoadU(I(), s.input + at), s.input_scale, s.input_scales + at);
    return hn::Add(hn::Add(input, hn::LoadU(F(), s.bias + at)), real(product, s.scale, s.scales + at));
  }
};
template <class Body>
HWY_INLINE void for_units(std::int64_t n, Body&& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
  for (std::int64_t at = 0; at < n; at += lanes) body(Units{at, n - at});
}

template <class Functions>
void rnn_units(const RecurrentRow& row, const RecurrentRule& rule, std::int64_t n) {
  const Functions f(rule);
  for_units(n, [&](Units u) HWY_ATTR { u.store(f.first(u.sum(row, 0)), row.h_out); });
}

template <class Functions, class Gates>
HWY_INLINE void lstm_units_of(const Gates& gates, const RecurrentRow& row, const RecurrentRule& rule, std::int64_t n) {
  const Functions f(rule);
  for_units(n, [&](Units u) HWY_ATTR {
    const V before = u.load(row.c);
    const auto sum = [&](std::int64_t gate, std::int64_t peephole, V c) HWY_ATTR {
      const V s = gates.sum(u, gate);
      if (row.peepholes == nullptr) return s;
      return hn::MulAdd(u.load(row.peepholes + peephole * row.gate_step), c, s);
    };
    const V input = f.gate(sum(0, 0, before));
    const V forget = rule.input_forget ? hn::Sub(constant(1.0f), input) : f.gate(sum(2, 2, before));
    const V c = hn::MulAdd(forget, before, hn::Mul(input, f.cell(gates.sum(u, 3))));
    u.store(c, row.c);
    u.store(hn::Mul(f.gate(sum(1, 1, c)), f.state(c)), row.h_out);
  });
}
template <class Functions>
void lstm_units(const RecurrentRow& row, const RecurrentRule& rule, std::int64_t n) {
  lstm_units_of<Functions>(RealGates{row}, row, rule, n);
}

// (1 - z) g + z h
HWY_INLINE V mixed(V z, V g, V h) { return hn::MulAdd(z, h, hn::Mul(hn::Sub(constant(1.0f), z), g)); }

template <class Functions>
void gru_units(const RecurrentRow& row, const RecurrentRule& rule, std::int64_t n) {
  const Functions f(rule);
  for_units(n, [&](Units u) HWY_ATTR {
    const V z = f.gate(u.sum(row, 0)), r = f.gate(u.sum(row, 1));
    V state = u.load(row.product + 2 * row.gate_step);
    if (row.state_bias != nullptr) state = hn::Add(state, u.load(row.state_bias));
    const V g = f.cell(hn::MulAdd(r, state, u.load(row.input + 2 * row.gate_step)));
    u.store(mixed(z, g, u.load(row.h)), row.h_out);
  });
}
template <class Functions>
void gru_gate_units(const RecurrentRow& row, const RecurrentRule& rule, std::int64_t n) {
  const Functions f(rule);
  for_units(n, [&](Units u) HWY_ATTR {
    u.store(f.gate(u.sum(row, 0)), row.product);
    u.store(hn::Mul(f.gate(u.sum(row, 1)), u.load(row.h)), row.reset_h);
  });
}
template <class Functions>
void gru_state_units(const RecurrentRow& row, const RecurrentRule& rule, std::int64_t n) {
  const Functions f(rule);
  for_units(n, [&](Units u)
                   HWY_ATTR { u.store(mixed(u.load(row.product), f.cell(u.sum(row, 2)), u.load(row.h)), row.h_out); });
}

using Step = void (*)(const RecurrentRow&, const RecurrentRule&, std::int64_t);

bool are_default(const RecurrentRule& rule, int gates, int states) {
  bool same = rule.clip == __builtin_inff();
  for (int i = 0; i < gates; ++i) same = same && rule.activations[i].function == RecurrentFunction::Sigmoid;
  for (int i = gates; i < gates + states; ++i) same = same && rule.activations[i].function == RecurrentFunction::Tanh;
  return same;
}
template <Step by_default, Step any, int gates, int states>
void choose(const RecurrentRow& row, const RecurrentRule& rule, std::int64_t n) {
  (are_default(rule, gates, states) ? by_default : any)(row, rule, n);
}

void lstm_of_sums(const RecurrentRow& row, const GateSums& sums, const RecurrentRule& rule, std::int64_t n) {
  if (are_default(rule, 1, 2))
    lstm_units_of<DefaultFunctions>(WholeGates{sums}, row, rule, n);
  else
    lstm_units_of<AnyFunctions>(WholeGates{sums}, row, rule, n);
}

#if HWY_TARGET == HWY_SCALAR
void multiply_pairs(const std::int16_t* x, std::int64_t x_row, std::int64_t rows, const std::int16_t* w,
                    std::int64_t pairs, std::int32_t* sums, std::int64_t sums_row) {
  for (std::int64_t r = 0; r < rows; ++r, x += x_row, sums += sums_row) {
    std::fill_n(sums, kGateColumns, 0);
    for (std::int64_t i = 0; i < pairs; ++i)
      for (std::int64_t c = 0; c < kGateColumns; ++c) {
        const std::int16_t* const two = w + 2 * (i * kGateColumns + c);
        sums[c] += x[2 * i] * two[0] + x[2 * i + 1] * two[1];
      }
  }
}
#else
// Some rows times four vectors of a block's columns.
constexpr std::int64_t kPairVectors = 4;
template <int rows>
HWY_INLINE void multiply_rows(const std::int16_t* x, std::int64_t x_row, const std::int16_t* w, std::int64_t pairs,
                              std::int32_t* to, std::int64_t to_row) {
  const std::int64_t lanes = lane_count();
  VI sums[rows][kPairVectors];
  for (auto& row : sums)
    for (VI& sum : row) sum = hn::Zero(I());
  for (std::int64_t i = 0; i < pairs; ++i, w += 2 * kGateColumns) {
    V16 column[kPairVectors];
    for (std::int64_t v = 0; v < kPairVectors; ++v) column[v] = hn::LoadU(D16(), w + 2 * v * lanes);
    for (std::int64_t r = 0; r < rows; ++r) {
      std::int32_t two;
      std::memcpy(&two, x + r * x_row + 2 * i, sizeof two);
      const auto pair = hn::BitCast(D16(), hn::Set(I(), two));
      for (std::int64_t v = 0; v < kPairVectors; ++v) sums[r][v] = add_pair_products(pair, column[v], sums[r][v]);
    }
  }
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t v = 0; v < kPairVectors; ++v) hn::StoreU(sums[r][v], I(), to + r * to_row + v * lanes);
}
void multiply_pairs(const std::int16_t* x, std::int64_t x_row, std::int64_t rows, const std::int16_t* w,
                    std::int64_t pairs, std::int32_t* sums, std::int64_t sums_row) {
  const std::int64_t step = kPairVectors * lane_count();
  for (std::int64_t c = 0; c < kGateColumns; c += step) {
    std::int64_t r = 0;
    // Sixteen registers hold the sums of two rows beside what is multiplied.
    constexpr int kMost = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
    for (; r + kMost <= rows; r += kMost)
      multiply_rows<kMost>(x + r * x_row, x_row, w + 2 * c, pairs, sums + r * sums_row + c, sums_row);
    for (; r < rows; ++r) multiply_rows<1>(x + r * x_row, x_row, w + 2 * c, pairs, sums + r * sums_row + c, sums_row);
  }
}

#endif

void centre(const std::uint8_t* from, std::int32_t zero, std::int64_t n, std::int16_t* to) {
  const hn::ScalableTag<std::int16_t> wide;
  const hn::Rebind<std::uint8_t, decltype(wide)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  const auto less = hn::Set(wide, static_cast<std::int16_t>(zero));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Sub(hn::PromoteTo(wide, hn::LoadU(narrow, from + i)), less), wide, to + i);
  for (; i < n; ++i) to[i] = static_cast<std::int16_t>(from[i] - zero);
}

RecurrentTable recurrent() {
  return {choose<rnn_units<DefaultFunctions>, rnn_units<AnyFunctions>, 0, 1>,
          choose<lstm_units<DefaultFunctions>, lstm_units<AnyFunctions>, 1, 2>,
          choose<gru_units<DefaultFunctions>, gru_units<AnyFunctions>, 1, 1>,
          choose<gru_gate_units<DefaultFunctions>, gru_gate_units<AnyFunctions>, 1, 1>,
          choose<gru_state_units<DefaultFunctions>, gru_state_units<AnyFunctions>, 1, 1>,
          lstm_of_sums,
          multiply_pairs,
          centre};
}

}  // namespace recurrent_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(recurrent);

const RecurrentTable& recurrent_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(recurrent)(); });
}

}  // namespace norn::kernels
#endif
