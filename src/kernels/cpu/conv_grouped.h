// A window of 3 x 3 over groups of few channels, channels last. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

// For a target's instruction set: `columns` output pixels of a row, for a vector of channels that holds whole groups.
struct GroupedConvTable {
  std::int64_t lanes, columns;
  // rows: the `count` rows of x that the window has, at the first channel of the vector and the first column of the
  // window of the first pixel, pixels `step` elements apart; of row r the weights stand at weights[r], as [channel of
  // the group][column of the window][lane]. Bounds and the bias (null: 0) come after the sum. Of the pixels the first n
  // are stored, `out_step` apart, and of their channels the first `channels`; those of x are there whole.
  void (*run)(std::int64_t stride, std::int64_t group, const float* const* rows, const float* const* weights,
              std::int64_t count, std::int64_t step, const float* bias, float low, float high, float* out,
              std::int64_t out_step, std::int64_t n, std::int64_t channels);
  // The same with half of the columns.
  decltype(run) run_half;
};
const GroupedConvTable& grouped_conv_table();

}  // namespace norn::kernels
