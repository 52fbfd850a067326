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
  const bool all = !b.attrs().has("axes");
  const CenterCropPadParams p = resolve_center_crop_pad(b);
  const std::int64_t zero[] = {0}, two[] = {2};
  b.ints("zero", zero);
  b.ints("two", two);
  if (all) {
    b.add("all_sizes = Shape (input_data) sizes = Identity (all_sizes)");
  } else if (b.type(0).has_rank() || p.axes->empty()) {
    b.add("all_sizes = Shape (input_data)");
    b.ints("axis", *p.axes);
    b.add("sizes = Gather (all_sizes, axis)");
  } else {
    // The axes with the rank, which inference did not know.
    std::int64_t last = 0;
    for (const std::int64_t axis : *p.axes) last = std::max(last, axis < 0 ? -(axis + 1) : axis);
    const std::int64_t least[] = {last};
    const std::string wanted = "a_rank_above_" + std::to_string(last) + "_for_its_axes";
    b.ints("last_axis", least);
    b.add("own_sizes = Shape (input_data) own_rank = Shape (own_sizes) has_axes = Greater (own_rank, last_axis)");
    add_guard(b, "own_sizes", "own_rank", "has_axes", wanted);
    b.add("all_sizes = Identity (" + wanted + ")");
    b.ints("axes_list", *p.axes);
    b.add(R"(
      rank = Shape (all_sizes)
      is_negative = Less (axes_list, zero)
      from_front = Add (axes_list, rank)
      axis = Where (is_negative, from_front, axes_list)
      sizes = Gather (all_sizes, axis)
    )");
  }
  b.add("wide = Cast <to = 7> (shape)");
  std::string sizes = "sizes";
  if (b.constant(1)) {
    b.add("wanted = Identity (wide)");
    // With axes inference compared their number; without, that of an input of unknown rank is compared here.
    if (all && !b.type(0).has_rank()) {
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
  b.add(all ? "cropped = Slice (input_data, first, end) output_data = Pad (cropped, pads)"
            : "cropped = Slice (input_data, first, end, axis) output_data = Pad (cropped, pads, , axis)");
}

constexpr FunctionBody kCenterCropPadBodies[] = {{.since = 18, .opset = 18, .build = center_crop_pad_body}};

}  // namespace
}  // namespace center_crop_pad_body_cc

void center_crop_pad_bodies(opset::BodyTable& table) { table.add(CenterCropPad, kCenterCropPadBodies); }

}  // namespace norn::ops
