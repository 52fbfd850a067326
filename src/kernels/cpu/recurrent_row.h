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
};
const RecurrentTable& recurrent_table();

}  // namespace norn::kernels
