// Crop cuts borders off an image, or keeps a size of it that begins behind the left and the upper border. DynamicSlice
// is what Slice became when its bounds became inputs.
#include "ops/experiments/crop/crop.h"

#include <algorithm>
#include <string>
#include <vector>

#include "norn/error.h"
#include "ops/common/shapes.h"
#include "ops/experiments/withdrawn.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace experiments {
inline namespace crop_cc {
namespace {

using namespace opset;

constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kFloat16To64)}};
constexpr Param kInput[] = {{.name = "input", .type = "T"}};
constexpr Param kOutput[] = {{.name = "output", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "border", .type = ir::AttributeType::Ints},
    {.name = "scale", .type = ir::AttributeType::Ints},
};
constexpr Schema kCrop[] = {experimental(kInput, kOutput, kAttrs, kTypes),
                            withdrawn(experimental(kInput, kOutput, kAttrs, kTypes))};

constexpr TypeConstraint kSliceTypes[] = {{"T", tensors(types::kAll)}, {"Tind", tensors(types::kIndex)}};
constexpr Param kSliceInputs[] = {
    {.name = "data", .type = "T"},
    {.name = "starts", .type = "Tind"},
    {.name = "ends", .type = "Tind"},
    {.name = "axes", .type = "Tind", .option = ParamOption::Optional},
};
constexpr Schema kDynamicSlice[] = {experimental(kSliceInputs, kOutput, {}, kSliceTypes),
                                    withdrawn(experimental(kSliceInputs, kOutput, {}, kSliceTypes))};

// What is left of `size`; or `kept` of it, where that is not -1.
DimExpr cropped(InferContext& ctx, const DimExpr& size, std::int64_t before, std::int64_t behind, std::int64_t kept) {
  const DimExpr left = size - DimExpr(before) - DimExpr(kept >= 0 ? kept : behind);
  if (left.is_constant() && left.constant() < 0)
    ctx.fail("an image of shape " + to_string(ctx.shape(0)) + " is too small for what is to be cut off or kept");
  return kept >= 0 ? DimExpr(kept) : left;
}

void infer_crop(InferContext& ctx) {
  ctx.require_rank(0, 4);
  const CropParams p = resolve_crop(ctx.attrs());
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  Dims dims = ctx.shape(0);
  dims[2] = cropped(ctx, dims[2], p.top, p.bottom, p.size ? p.size->height : -1);
  dims[3] = cropped(ctx, dims[3], p.left, p.right, p.size ? p.size->width : -1);
  ctx.set(0, ctx.elem(0), std::move(dims));
}

// At most this, so that sums of two stay far from the ends of 64 bits.
constexpr std::int64_t kMost = std::int64_t{1} << 60;

std::vector<std::int64_t> sizes_of(const Attrs& attrs, const char* name, std::size_t count) {
  std::vector<std::int64_t> sizes = *attrs.find_ints(name);
  const auto fits = [](std::int64_t v) { return v >= 0 && v <= kMost; };
  if (sizes.size() == count && std::all_of(sizes.begin(), sizes.end(), fits)) return sizes;
  throw Error(ErrorCode::InvalidGraph, std::string("the attribute ") + name + " has to be " + std::to_string(count) +
                                           " sizes that are not negative");
}

}  // namespace
}  // namespace crop_cc

CropParams resolve_crop(const Attrs& attrs) {
  CropParams p;
  const bool has_border = attrs.has("border"), has_scale = attrs.has("scale");
  if (!has_border && !has_scale)
    throw Error(ErrorCode::InvalidGraph, "neither border nor scale is given", {}, "give one of them");
  if (has_border) {
    const auto border = sizes_of(attrs, "border", 4);
    p = {.left = border[0], .top = border[1], .right = border[2], .bottom = border[3], .size = {}};
  }
  if (has_scale) {
    const auto scale = sizes_of(attrs, "scale", 2);
    p.size = CropParams::Size{scale[0], scale[1]};
  }
  return p;
}

constinit const Operator Crop = {.name = "Crop", .history = kCrop, .infer = infer_crop, .standard = false};
constinit const Operator DynamicSlice = {.name = "DynamicSlice", .history = kDynamicSlice, .standard = false};

}  // namespace experiments

void crop_schemas(opset::SchemaTable& table) {
  table.add(experiments::Crop);
  table.add(experiments::DynamicSlice);
}

}  // namespace norn::ops
