// Average or maximum of samples between elements, in regions. Before 16 coordinates are as in output_half_pixel; the
// default since is half_pixel, so a step up must write it down.
//
// The maximum is that of the four elements around each sample times their weights, not of samples: onnx's cases and
// every runtime have it so, although the text speaks of interpolation.
#include "ops/object_detection/roi_align/roi_align.h"

#include <string>

#include "base/text.h"
#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace roi_align_cc {
namespace {

using namespace opset;

constexpr Attr kMode = {.name = "mode", .type = ir::AttributeType::String, .def = def_string("avg")};
constexpr Attr kOutputHeight = {.name = "output_height", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kOutputWidth = {.name = "output_width", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kSamplingRatio = {.name = "sampling_ratio", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kSpatialScale = {.name = "spatial_scale", .type = ir::AttributeType::Float, .def = def_float(1.0f)};
constexpr Param kInputs[] = {
    {.name = "X", .type = "T1"},
    {.name = "rois", .type = "T1"},
    {.name = "batch_indices", .type = "T2"},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T1"}};
constexpr Attr kAttrs10[] = {kMode, kOutputHeight, kOutputWidth, kSamplingRatio, kSpatialScale};
constexpr Attr kAttrs16[] = {
    {.name = "coordinate_transformation_mode", .type = ir::AttributeType::String, .def = def_string("half_pixel")},
    kMode,
    kOutputHeight,
    kOutputWidth,
    kSamplingRatio,
    kSpatialScale,
};
constexpr TypeConstraint kTypes10[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(elems(DataType::Int64))}};

constexpr Schema kRoiAlign[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs10, .types = kTypes10},
    {.since = 16, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs16, .types = kTypes10},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs16, .types = kTypes22, .same_meaning = true},
};

void infer_roi_align(InferContext& ctx) {
  const RoiAlignParams p = resolve_roi_align(ctx);
  ctx.set(0, ctx.elem(0),
          {p.regions ? *p.regions : ctx.fresh_dim(), ctx.has_rank(0) ? ctx.shape(0)[1] : ctx.fresh_dim(), p.height,
           p.width});
}

}  // namespace
}  // namespace roi_align_cc

RoiAlignParams resolve_roi_align(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  RoiAlignParams p{.height = attrs.i("output_height"),
                   .width = attrs.i("output_width"),
                   .sampling_ratio = attrs.i("sampling_ratio"),
                   .spatial_scale = attrs.f("spatial_scale"),
                   .maximum = false,
                   .half_pixel = false,
                   .regions = std::nullopt};
  const std::string mode = attrs.s("mode");
  if (mode != "avg" && mode != "max")
    node.fail("the attribute \"mode\" is " + base::quoted(mode), "it has to be avg or max");
  p.maximum = mode == "max";
  if (attrs.declares("coordinate_transformation_mode")) {
    const std::string coordinates = attrs.s("coordinate_transformation_mode");
    p.half_pixel = coordinates == "half_pixel";
    if (!p.half_pixel && coordinates != "output_half_pixel") {
      node.fail("the attribute \"coordinate_transformation_mode\" is " + base::quoted(coordinates),
                "it has to be half_pixel or output_half_pixel");
    }
  }
  const auto bounded = [&](std::int64_t value, const char* name, std::int64_t least, std::int64_t most) {
    if (value < least || value > most) {
      node.fail(std::string(name) + " is " + std::to_string(value) + ", but has to be from " + std::to_string(least) +
                " to " + std::to_string(most));
    }
  };
  bounded(p.height, "output_height", 1, std::int64_t{1} << 31);
  bounded(p.width, "output_width", 1, std::int64_t{1} << 31);
  bounded(p.sampling_ratio, "sampling_ratio", 0, 1 << 16);
  node.require_rank(0, 4);
  node.require_rank(1, 2);
  node.require_rank(2, 1);
  agree(node, 1, 1, 4, "coordinates of a region");
  p.regions = agree(node, 1, 0, 2, 0);
  return p;
}

constinit const Operator RoiAlign = {.name = "RoiAlign", .history = kRoiAlign, .infer = infer_roi_align};

void roi_align_schemas(SchemaTable& table) { table.add(RoiAlign); }

}  // namespace norn::ops
