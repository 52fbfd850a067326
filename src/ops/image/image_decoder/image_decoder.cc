// An image from the bytes of a file. Pixel formats are RGB, BGR and Grayscale, three axes always. What cannot be
// decoded gives an empty image.
#include "ops/image/image_decoder/image_decoder.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator ImageDecoder = {.name = "ImageDecoder", .history = kImageDecoder};

void image_decoder_schemas(SchemaTable& table) { table.add(ImageDecoder); }

}  // namespace norn::ops
