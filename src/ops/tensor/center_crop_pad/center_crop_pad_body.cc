// Along each axis the middle is cut out, and what lacks is padded around it; the odd element more is on the right, of
// what is padded as of what is cut off.
#include "ops/tensor/center_crop_pad/center_crop_pad.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void center_crop_pad_body(BodyBuilder& b) {
  const auto axes = b.attrs().find_ints("axes");
  if (axes) b.ints("axes_list", *axes);
  const std::int64_t zero[] = {0}, two[] = {2};
  b.ints("zero", zero);
  b.ints("two", two);
  b.add("all_sizes = Shape (input_data)");
  b.add(axes ? R"(
    rank = Shape (all_sizes)
    is_negative = Less (axes_list, zero)
    from_front = Add (axes_list, rank)
    axis = Where (is_negative, from_front, axes_list)
    sizes = Gather (all_sizes, axis)
  )"
             : "sizes = Identity (all_sizes)");
  b.add(R"(
    wanted = Cast <to = 7> (shape)
    more = Sub (sizes, wanted)
    surplus = Max (more, zero)
    first = Div (surplus, two)
    kept = Min (sizes, wanted)
    end = Add (first, kept)
    less = Sub (wanted, sizes)
    lacking = Max (less, zero)
    before = Div (lacking, two)
    after = Sub (lacking, before)
    pads = Concat <axis = 0> (before, after)
  )");
  b.add(axes ? "cropped = Slice (input_data, first, end, axis) output_data = Pad (cropped, pads, , axis)"
             : "cropped = Slice (input_data, first, end) output_data = Pad (cropped, pads)");
}

constexpr FunctionBody kBodies[] = {{.since = 18, .opset = 18, .build = center_crop_pad_body}};

}  // namespace

void center_crop_pad_bodies(opset::BodyTable& table) { table.add(CenterCropPad, kBodies); }

}  // namespace norn::ops
