// An image from the bytes of a file. Pixel formats are RGB, BGR and Grayscale, three axes always. What cannot be
// decoded gives an empty image.
#include "ops/image/image_decoder/image_decoder.h"

#include <string>

#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace image_decoder_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {{.name = "encoded_stream", .type = "T1", .diff = kNonDiff}};
constexpr Param kOutputs[] = {{.name = "image", .type = "T2", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "pixel_format", .type = ir::AttributeType::String, .def = def_string("RGB")}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(elems(DataType::Uint8))}, {"T2", tensors(elems(DataType::Uint8))}};

constexpr Schema kImageDecoder[] = {
    {.since = 20, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_image_decoder(InferContext& ctx) {
  ctx.require_rank(0, 1);
  const PixelFormat format = resolve_image_decoder(ctx);
  DimExpr height = ctx.fresh_dim("the image's height is known when it is decoded");
  DimExpr width = ctx.fresh_dim("the image's width is known when it is decoded");
  ctx.set(0, DataType::Uint8, {std::move(height), std::move(width), channels_of(format)});
}

}  // namespace
}  // namespace image_decoder_cc

PixelFormat resolve_image_decoder(const opset::NodeView& node) {
  const std::string format = node.attrs().s("pixel_format");
  if (format == "BGR") return PixelFormat::Bgr;
  if (format == "Grayscale") return PixelFormat::Grayscale;
  if (format != "RGB")
    node.fail("attribute \"pixel_format\" is " + base::quoted(format) + ", not RGB, BGR or Grayscale");
  return PixelFormat::Rgb;
}

constinit const Operator ImageDecoder = {
    .name = "ImageDecoder", .history = kImageDecoder, .infer = infer_image_decoder};

void image_decoder_schemas(SchemaTable& table) { table.add(ImageDecoder); }

}  // namespace norn::ops
