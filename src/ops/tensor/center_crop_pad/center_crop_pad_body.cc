// Along each axis the middle is cut out, and what lacks is padded around it; the odd element more is on the right, of
// what is padded as of what is cut off.
#include <algorithm>
#include <string>

#include "ops/common/body_guard.h"
#include "ops/tensor/center_crop_pad/center_crop_pad.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace center_crop_pad_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void center_crop_pad_body(BodyBuilder& b) {
  const auto axes = b.attrs().find_ints("axes");
  if (axes) b.ints("axes_list", *axes);
  const std::int64_t zero[] = {0}, two[] = {2};
  b.ints("zero", zero);
  b.ints("two", two);
  // The axes with the rank, where inference did not know it.
  const bool compares = axes && !axes->empty() && !b.type(0).has_rank();
  b.add(compares ? "own_sizes = Shape (input_data)" : "all_sizes = Shape (input_data)");
  if (axes) {
    if (compares) {
      std::int64_t last = 0;
      for (const std::int64_t axis : *axes) last = std::max(last, axis < 0 ? -(axis + 1) : axis);
      const std::int64_t ranks[] = {last};
      const std::string wanted = "a_rank_above_" + std::to_string(last) + "_for_its_axes";
      b.ints("last_axis", ranks);
      b.add("own_rank = Shape (own_sizes) has_axes = Greater (own_rank, last_axis)");
      add_guard(b, "own_sizes", "own_rank", "has_axes", wanted);
      b.add("all_sizes = Identity (" + wanted + ")");
    }
    b.add(R"(
      rank = Shape (all_sizes)
      is_negative = Less (axes_list, zero)
      from_front = Add (axes_list, rank)
      axis = Where (is_negative, from_front, axes_list)
      sizes = Gather (all_sizes, axis)
    )");
  } else {
    b.add("sizes = Identity (all_sizes)");
  }
  b.add("wide = Cast <to = 7> (shape)");
  std::string sizes = "sizes";
  if (b.constant(1)) {
    b.add("wanted = Identity (wide)");
    // With axes inference compared their number; without, that of an input of unknown rank is compared here.
    if (!axes && !b.type(0).has_rank()) {
      b.add("size_count = Shape (wide) axes_as_many_as_sizes = Reshape (sizes, size_count)");
      sizes = "axes_as_many_as_sizes";
    }
  } else {
    b.add(R"(
      axis_count = Shape (sizes)
      least = ReduceMin <keepdims = 1> (wide)
      is_size = GreaterOrEqual (least, zero)
    )");
    add_guard(b, "wide", "axis_count", "is_size", "one_size_from_0_for_each_axis");
    b.add("wanted = Identity (one_size_from_0_for_each_axis)");
  }
  b.add("given = Identity (" + sizes + ")");
  b.add(R"(
    more = Sub (given, wanted)
    surplus = Max (more, zero)
    first = Div (surplus, two)
    kept = Min (given, wanted)
    end = Add (first, kept)
    less = Sub (wanted, given)
    lacking = Max (less, zero)
    before = Div (lacking, two)
    after = Sub (lacking, before)
    pads = Concat <axis = 0> (before, after)
  )");
  b.add(axes ? "cropped = Slice (input_data, first, end, axis) output_data = Pad (cropped, pads, , axis)"
             : "cropped = Slice (input_data, first, end) output_data = Pad (cropped, pads)");
}

constexpr FunctionBody kCenterCropPadBodies[] = {{.since = 18, .opset = 18, .build = center_crop_pad_body}};

}  // namespace
}  // namespace center_crop_pad_body_cc

void center_crop_pad_bodies(opset::BodyTable& table) { table.add(CenterCropPad, kCenterCropPadBodies); }

}  // namespace norn::ops
