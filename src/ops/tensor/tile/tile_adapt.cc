// Version 1 repeats along one axis. Its numbers are inputs of the data's floating type.
#include <algorithm>
#include <cmath>

#include "ops/common/shapes.h"
#include "ops/tensor/tile/tile.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace tile_adapt_cc {
namespace {

using namespace transform;

// A whole number that is not negative.
std::int64_t constant_size(NodeEdit& edit, int input, const char* name) {
  const Tensor* given = edit.input_constant(input);
  if (!given || given->size() != 1) edit.cannot(std::string(name) + " is not a constant of one element");
  const double v = number_at(*given, 0);
  if (!(v >= 0 && v < 0x1p62) || v != std::trunc(v)) edit.cannot(std::string(name) + " is not a whole number");
  return static_cast<std::int64_t>(v);
}

void one_count_for_each_axis(NodeEdit& edit) {
  const std::int64_t tiles = constant_size(edit, 1, "tiles"), axis = constant_size(edit, 2, "axis");
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("the rank of the input is not known");
  if (axis >= *rank) edit.cannot("axis is outside of the input's shape");
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(*rank), 1);
  repeats[static_cast<std::size_t>(axis)] = tiles;
  edit.drop_input(2);
  edit.set_input_ints(1, repeats);
}

void along_a_single_axis(NodeEdit& edit) {
  const std::vector<std::int64_t> repeats = constant_ints(edit, 1);
  if (repeats.empty()) edit.cannot("version 1 repeats along an axis, and a scalar has none");
  // What the narrowest of the version's types counts exactly.
  constexpr std::int64_t kMost = 2048;
  const auto repeated = [](std::int64_t r) { return r != 1; };
  if (std::count_if(repeats.begin(), repeats.end(), repeated) > 1) edit.cannot("version 1 repeats along one axis only");
  const auto found = std::find_if(repeats.begin(), repeats.end(), repeated);
  const std::size_t axis = found == repeats.end() ? 0 : static_cast<std::size_t>(found - repeats.begin());
  if (repeats[axis] > kMost) edit.cannot("version 1 counts in floating-point numbers, which are exact up to 2048 only");
  set_scalar_input(edit, 1, static_cast<float>(repeats[axis]));
  set_scalar_input(edit, 2, static_cast<float>(axis));
}

}  // namespace
}  // namespace tile_adapt_cc

void tile_steps(StepTable& table) {
  table.add(Tile, 1, 6, one_count_for_each_axis, along_a_single_axis);
  table.keeps(Tile, 1, "the axis or the count are computed, as floating-point numbers");
}

}  // namespace norn::ops
