// A block is two dimensions of its own, which a transposition moves between the channels and the places.
#include <limits>
#include <string>

#include "base/checked.h"
#include "ops/common/body_guard.h"
#include "ops/tensor/depth_to_space/depth_to_space.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace depth_to_space_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// `whole`: the input. Blocks divide its axes; of those that inference does not know, nothing compared that, and a
// tensor without elements is reshaped to any other. `asked` says what is asked for.
void add_whole(BodyBuilder& b, int axes_from, int axes_to, const std::string& divisor, const std::string& asked) {
  bool known = true;
  for (int axis = axes_from; axis < axes_to; ++axis) known = known && b.size_or_unknown(0, axis) >= 0;
  if (known) return b.add("whole = Identity (input)");
  const std::int64_t zero[] = {0};
  b.ints("no_rest", zero);
  b.add("divided = Shape <start = " + std::to_string(axes_from) + ", end = " + std::to_string(axes_to) + "> (input)");
  b.add("rests = Mod (divided, " + divisor + ") most = ReduceMax (rests) is_whole = Equal (most, no_rest)");
  b.add("input_shape = Shape (input)");
  add_guard(b, "input", "input_shape", "is_whole", asked);
  b.add("whole = Identity (" + asked + ")");
}

std::string text_of(const BlockParams& blocks) { return std::to_string(blocks.size); }

void add_sizes(BodyBuilder& b, std::int64_t block) {
  // More than there are channels stays more.
  const std::int64_t all = base::checked_mul(block, block).value_or(std::numeric_limits<std::int64_t>::max());
  const std::int64_t side[] = {block}, area[] = {all};
  b.ints("block", side);
  b.ints("block_area", area);
  b.add(R"(
    batch = Shape <start = 0, end = 1> (input)
    channels = Shape <start = 1, end = 2> (input)
    height = Shape <start = 2, end = 3> (input)
    width = Shape <start = 3, end = 4> (input)
  )");
}

void depth_to_space_body(BodyBuilder& b) {
  const BlockParams blocks = resolve_blocks(b);
  add_sizes(b, blocks.size);
  add_whole(b, 1, 2, "block_area", "channels_that_the_square_of_blocksize_" + text_of(blocks) + "_divides");
  b.add(R"(
    depth = Div (channels, block_area)
    higher = Mul (height, block)
    wider = Mul (width, block)
    out_shape = Concat <axis = 0> (batch, depth, higher, wider)
  )");
  b.add(blocks.is_crd ? R"(
    split_shape = Concat <axis = 0> (batch, depth, block, block, height, width)
    split = Reshape <allowzero = 1> (whole, split_shape)
    moved = Transpose <perm = [0, 1, 4, 2, 5, 3]> (split)
  )"
                      : R"(
    split_shape = Concat <axis = 0> (batch, block, block, depth, height, width)
    split = Reshape <allowzero = 1> (whole, split_shape)
    moved = Transpose <perm = [0, 3, 4, 1, 5, 2]> (split)
  )");
  b.add("output = Reshape <allowzero = 1> (moved, out_shape)");
}

void space_to_depth_body(BodyBuilder& b) {
  const BlockParams blocks = resolve_blocks(b);
  add_sizes(b, blocks.size);
  add_whole(b, 2, 4, "block", "height_and_width_that_blocksize_" + text_of(blocks) + "_divides");
  b.add(R"(
    deeper = Mul (channels, block_area)
    lower = Div (height, block)
    narrower = Div (width, block)
    split_shape = Concat <axis = 0> (batch, channels, lower, block, narrower, block)
    split = Reshape <allowzero = 1> (whole, split_shape)
    out_shape = Concat <axis = 0> (batch, deeper, lower, narrower)
  )");
  b.add(blocks.is_crd ? "moved = Transpose <perm = [0, 1, 3, 5, 2, 4]> (split)"
                      : "moved = Transpose <perm = [0, 3, 5, 1, 2, 4]> (split)");
  b.add("output = Reshape <allowzero = 1> (moved, out_shape)");
}

constexpr FunctionBody kDepthToSpace[] = {{.since = 1, .opset = 18, .build = depth_to_space_body}};
constexpr FunctionBody kSpaceToDepth[] = {{.since = 1, .opset = 18, .build = space_to_depth_body}};

}  // namespace
}  // namespace depth_to_space_body_cc

void depth_to_space_bodies(opset::BodyTable& table) {
  table.add(DepthToSpace, kDepthToSpace);
  table.add(SpaceToDepth, kSpaceToDepth);
}

}  // namespace norn::ops
