// The gates of one sequence at one step. Internal to the kernels.
#pragma once
#include <cstdint>

#include "kernels/cpu/recurrent.h"

namespace norn::kernels {

struct RecurrentRow {
  // The gates' sums: W x + bias, and R h; a gate is `gate_step` behind the one before.
  const float* input;
  float* product;
  std::int64_t gate_step;
  const float* h;  // the state before
  float* h_out;
  float* c;                 // LSTM: the cell, changed in place
  const float* peepholes;   // LSTM: of gates i, o, f, gate_step apart; or null
  const float* state_bias;  // GRU, linear before the reset: what is added to R h of gate h; or null
  float* reset_h;           // GRU, linear behind the reset: r h
};
// The gates' sums of integers, in place of a row's: blocks of 16 units (kGateUnits), in each of them gate behind gate.
// A gate is input * input_scale * input_scales + bias + (product - zero * column_sums) * scale * scales.
struct GateSums {
  const std::int32_t* input;
  const float* input_scales;
  float input_scale;
  const float* bias;
  const std::int32_t *product, *column_sums;
  const float* scales;
  std::int32_t zero;
  float scale;
};
constexpr std::int64_t kGateUnits = 16;
constexpr std::int64_t kGateColumns = 4 * kGateUnits;  // of a block

struct RecurrentRule {
  const RecurrentActivation* activations;  // of the direction
  float clip;
  bool input_forget;
};

// For the first n units that a row's pointers lead to. Sigmoid and tanh are right to 4 units of the last place.
struct RecurrentTable {
  void (*rnn)(const RecurrentRow&, const RecurrentRule&, std::int64_t n);
  void (*lstm)(const RecurrentRow&, const RecurrentRule&, std::int64_t n);
  // Linear before the reset, at once; else in two parts, between which R (r h) is put in place of the third product.
  // The first leaves gate z in place of its product.
  void (*gru)(const RecurrentRow&, const RecurrentRule&, std::int64_t n);
  void (*gru_gates)(const RecurrentRow&, const RecurrentRule&, std::int64_t n);
  void (*gru_state)(const RecurrentRow&, const RecurrentRule&, std::int64_t n);
  // The row's own sums are not read; it begins with a block.
  void (*lstm_of_sums)(const RecurrentRow&, const GateSums&, const RecurrentRule&, std::int64_t n);

  // Sums of products of 16-bit integers with a block of columns: sums[r][c] = the sum over i and j < 2 of
  // x[r * x_row + 2 i + j] * w[(i * 64 + c) * 2 + j].
  void (*multiply_pairs)(const std::int16_t* x, std::int64_t x_row, std::int64_t rows, const std::int16_t* w,
                         std::int64_t pairs, std::int32_t* sums, std::int64_t sums_row);
  // to[i] = from[i] - zero; `from` may be the last n bytes of `to`.
  void (*centre)(const std::uint8_t* from, std::int32_t zero, std::int64_t n, std::int16_t* to);
};
const RecurrentTable& recurrent_table();

}  // namespace norn::kernels
