#include "ops/experiments/crop/crop.h"
#include "ops/experiments/withdrawn.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace experiments {
inline namespace crop_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// Traps: Slice takes what there is of a part that ends behind the image, so that Reshape has to refuse it; and an end
// before the front would count from the end, so that borders are negative pads.
void crop_body(BodyBuilder& b) {
  const CropParams p = resolve_crop(b.attrs());
  if (!p.size) {
    const std::int64_t pads[] = {0, 0, -p.top, -p.left, 0, 0, -p.bottom, -p.right};
    b.ints("pads", pads);
    return b.add("output = Pad (input, pads)");
  }
  const std::int64_t starts[] = {p.top, p.left}, ends[] = {p.top + p.size->height, p.left + p.size->width};
  const std::int64_t axes[] = {2, 3}, sizes[] = {p.size->height, p.size->width}, front[] = {0}, behind[] = {2};
  b.ints("starts", starts);
  b.ints("ends", ends);
  b.ints("axes", axes);
  b.ints("sizes", sizes);
  b.ints("front", front);
  b.ints("behind", behind);
  b.add(R"(
    part = Slice (input, starts, ends, axes)
    shape = Shape (input)
    images = Slice (shape, front, behind)
    kept = Concat <axis = 0> (images, sizes)
    output = Reshape <allowzero = 1> (part, kept)
  )");
}

void dynamic_slice_body(BodyBuilder& b) {
  b.add(b.has_input(3) ? "output = Slice (data, starts, ends, axes)" : "output = Slice (data, starts, ends)");
}

constexpr FunctionBody kCropBody[] = {{.since = 1, .opset = kBodyOpset, .build = crop_body}};
constexpr FunctionBody kDynamicSliceBody[] = {{.since = 1, .opset = kBodyOpset, .build = dynamic_slice_body}};

}  // namespace
}  // namespace crop_body_cc
}  // namespace experiments

void crop_bodies(opset::BodyTable& table) {
  table.add(experiments::Crop, experiments::kCropBody);
  table.add(experiments::DynamicSlice, experiments::kDynamicSliceBody);
}

}  // namespace norn::ops
