// What the kernels of recurrent layers have in common: the walk over steps, states and sequences of different lengths.
// Products with W of many steps are computed at once, ahead; then step by step those of the state with R, and the
// gates. Internal to the kernels.
//
// For one sequence a step reads all of R, so the bound is the cache that R lies in. Steps go through R's panels
// forwards and backwards in turn: what was read last is still in the nearest cache.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/recurrent.h"
#include "kernels/cpu/recurrent_row.h"

namespace norn::kernels {

// How many matrices are stacked in W and R, and how many functions a direction has.
std::int64_t recurrent_gates(RecurrentLayer layer);
std::int64_t recurrent_functions(RecurrentLayer layer);
// Why no kernel takes these sizes; "" if there is no reason.
std::string recurrent_sizes_refusal(const RecurrentConfig& config);

constexpr std::int64_t kRecurrentRows = 64;  // products with W that are computed ahead: of at least as many rows

class RecurrentSteps : public Kernel {
 public:
  std::size_t scratch_bytes() const final { return scratch_bytes_; }
  void run(void* const* operands, void* scratch) const final;

 protected:
  // A run's memory.
  struct Run {
    template <class T>
    const T* operand(std::size_t i) const {
      return static_cast<const T*>(operands[i]);
    }
    template <class T = float>
    T* at(std::size_t place) const {
      return reinterpret_cast<T*>(scratch + place);
    }
    void* const* operands;
    char* scratch;
    const std::int32_t* lengths = nullptr;
    std::int64_t ahead = 0;  // the first step, in a direction's own order, whose products with W are there
  };
  // Units [u0, u1) of sequences [b0, b1) of a direction, all units or one of the pieces that they are cut into.
  struct Part {
    std::int64_t d, b0, b1, u0, u1, piece;
  };
  // To read a weight of R, to multiply by it; how many of them stay in the second cache from step to step.
  struct Costs {
    double weight_ns, product_ns;
    std::int64_t cached_weights;
  };

  // y: which operand Y is, before Y_h and Y_c. Units may be cut into pieces of whole `unit`s; 0 if they may not.
  RecurrentSteps(const RecurrentConfig& c, std::size_t y, std::int64_t unit, const Costs& costs);

  // Scratch memory for `count` elements; its place.
  template <class T>
  std::size_t reserve(std::int64_t count) {
    return reserve_bytes(static_cast<std::size_t>(count) * sizeof(T));
  }
  std::size_t reserve_bytes(std::size_t bytes) {
    const std::size_t place = scratch_bytes_;
    scratch_bytes_ += (bytes + 63) / 64 * 64;
    return place;
  }

  bool backwards(std::int64_t d) const { return c_.reverse || d == 1; }
  // Where states before step k lie: [direction, sequence, unit].
  float* states(const Run& run, std::int64_t k) const { return run.at(k % 2 == 0 ? h_at_ : next_h_at_); }
  // The first of the steps in time whose products with W are there.
  std::int64_t first_ahead(const Run& run, std::int64_t d) const {
    return backwards(d) ? c_.steps - run.ahead - chunk_ : run.ahead;
  }
  // Which of these steps step k is.
  std::int64_t time_ahead(const Run& run, std::int64_t k, std::int64_t d) const {
    return backwards(d) ? chunk_ - 1 - (k - run.ahead) : k - run.ahead;
  }
  RecurrentRule rule(std::int64_t d) const {
    return {c_.activations.data() + d * recurrent_functions(c_.layer), c_.clip, c_.input_forget};
  }
  // The states of a sequence at step k from unit u0 on, and its peepholes.
  RecurrentRow row(const Run& run, std::int64_t k, std::int64_t d, std::int64_t b, std::int64_t u0) const;
  // A sequence has ended, or going backwards not begun, where time is not below its length.
  bool is_there(const Run& run, std::int64_t k, std::int64_t d, std::int64_t b) const {
    return run.lengths == nullptr || time(k, d) < run.lengths[b];
  }

  RecurrentConfig c_;
  std::int64_t n_;          // columns of all gates
  std::int64_t chunk_ = 1;  // steps whose products with W are computed at once
  std::int64_t groups_ = 1, pieces_ = 1;

 private:
  // What a run needs beside states.
  virtual void prepare(const Run& run) const = 0;
  // Products of W with the inputs from step run.ahead on, in the direction's order.
  virtual void project(const Run& run, std::int64_t d) const = 0;
  // Step k, in the direction's order.
  virtual void step(const Run& run, std::int64_t k, const Part& part) const = 0;

  void cut(std::int64_t unit, const Costs& costs);
  std::int64_t time(std::int64_t k, std::int64_t d) const { return backwards(d) ? c_.steps - 1 - k : k; }
  // Of a state in memory of the caller.
  std::int64_t state_at(std::int64_t d, std::int64_t b) const {
    return (c_.batch_first ? b * c_.directions + d : d * c_.batch + b) * c_.hidden;
  }
  void begin(Run& run) const;
  void begin_state(const float* given, std::int64_t at, float* to) const;
  void advance(const Run& run, std::int64_t begin, std::int64_t end) const;
  void keep_and_give(const Run& run, std::int64_t k, const Part& part) const;
  void give_states(const Run& run) const;

  std::size_t y_, scratch_bytes_ = 0, h_at_, next_h_at_, c_at_;
  std::int64_t unit_;
};

}  // namespace norn::kernels
