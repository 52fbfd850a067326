// Pooling, f32. An average without count_include_pad divides by the elements of the window that lie in x.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

enum class PoolKind : std::uint8_t { Max, Average };

// Operands: x, then the output.
struct PoolConfig {
  PoolKind kind = PoolKind::Max;
  Shape x, out;                      // N, C, spatial...
  Shape window, strides, dilations;  // one for each spatial dimension; a dilation of 1 leaves no gaps
  Shape pads_begin, pads_end;        // the end may be less or more than the last window needs (ceil_mode)
  bool count_include_pad = false;    // positions in begin/end padding count; those beyond pads_end never do
  Layout x_layout = Layout::Dense, out_layout = Layout::Dense;
};
std::span<const Candidate<PoolConfig>> pool_candidates();
// Why no kernel takes the configuration; "" if it is valid.
std::string pool_refuses(const PoolConfig& config);

// The largest of 8-bit integers; what a window has outside of x does not count.
struct Int8PoolConfig {
  PoolConfig pool;  // of kind Max
  DataType type = DataType::Uint8;
};
std::span<const Candidate<Int8PoolConfig>> int8_pool_candidates();

// The mean of 8-bit integers over all spatial positions, as real numbers. Operands: x,
// its scale (f32) and zero point (null for 0), one number each, then the output [N, C], f32.
struct Int8MeanConfig {
  Shape x;
  DataType type = DataType::Uint8;
  Layout layout = Layout::ChannelsLast;  // of x
};
std::span<const Candidate<Int8MeanConfig>> int8_mean_candidates();

// All spatial positions to one. Operands: x, then the output [N, C, 1...].
struct GlobalPoolConfig {
  PoolKind kind = PoolKind::Average;
  Shape x;
  Layout x_layout = Layout::Dense, out_layout = Layout::Dense;
};
std::span<const Candidate<GlobalPoolConfig>> global_pool_candidates();

}  // namespace norn::kernels
