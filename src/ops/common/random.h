// The numbers of random operators.
//
// With a seed they are those of NumPy's RandomState(seed), and so what onnx's evaluator draws: the Mersenne Twister
// MT19937, 53 bits from two draws, normal numbers in pairs by Marsaglia's polar method. They are drawn one after
// another in row-major order on one thread, so they depend on the node's seed and nothing else: two nodes with the same
// seed, or two runs, draw the same. Without a seed the system's entropy gives one, and nodes and runs differ.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {

// MT19937, the same numbers as std::mt19937's: 624 at a time, in loops that can be vectorised.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed);
  // Of two counters: a state that std::mt19937 has no seed for, but made in a tenth of the time of std::seed_seq's.
  explicit MersenneTwister(const std::array<std::uint64_t, 2>& seed);

  std::uint32_t operator()() {
    if (next_ == kSize) refill();
    return numbers_[next_++];
  }
  // In [0, 1), of 53 bits from two draws.
  double uniform() {
    const std::uint32_t high = (*this)();
    return uniform_of(high, (*this)());
  }
  // The next n of them.
  void uniforms(double* to, std::int64_t n);

  static constexpr std::size_t kSize = 624, kShift = 397;
  static double uniform_of(std::uint32_t high, std::uint32_t low) {
    // Below 2^27, as signed numbers, which are turned into doubles in vectors.
    return (static_cast<double>(static_cast<std::int32_t>(high >> 5)) * 0x1p26 +
            static_cast<double>(static_cast<std::int32_t>(low >> 6))) *
           0x1p-53;
  }

 private:
  void refill();

  std::array<std::uint32_t, kSize> state_, numbers_;
  std::size_t next_ = kSize;
};

class RandomNumbers {
 public:
  // Of the node's attribute `seed`, a float: its integer part modulo 2^32. NaN counts as no seed, as for onnx's
  // evaluator.
  explicit RandomNumbers(const opset::ReferenceContext& node);

  double uniform() {  // in [0, 1)
    if (next_ == drawn_.size()) {
      generator_.uniforms(drawn_.data(), static_cast<std::int64_t>(drawn_.size()));
      next_ = 0;
    }
    return drawn_[next_++];
  }
  void uniforms(double* to, std::int64_t n);  // the next n of them
  double normal();                            // mean 0, standard deviation 1

 private:
  MersenneTwister generator_;
  std::array<double, 312> drawn_;  // as many as the generator's numbers give
  std::size_t next_ = drawn_.size();
  std::optional<double> spare_;  // the other number of a pair
};

// Output 0, of this type and shape, in row-major order: draw(to, n) gives the next n elements.
template <class Draw>
void draw_elements(opset::ReferenceContext& ctx, DataType type, const norn::Shape& dims, Draw&& draw) {
  Tensor& y = ctx.output(0, type, dims);
  std::array<double, 512> chunk;
  for (std::int64_t first = 0; first < y.size(); first += 512) {
    const std::int64_t n = std::min<std::int64_t>(512, y.size() - first);
    draw(chunk.data(), n);
    store<double>(y, first, n, chunk.data());
  }
}

}  // namespace norn::ops
