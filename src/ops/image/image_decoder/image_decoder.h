// An image from the bytes of a file.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ImageDecoder;

enum class PixelFormat : std::uint8_t { Rgb, Bgr, Grayscale };

// Throws if `pixel_format` is none of these.
PixelFormat resolve_image_decoder(const opset::NodeView& node);
inline std::int64_t channels_of(PixelFormat format) { return format == PixelFormat::Grayscale ? 1 : 3; }

}  // namespace norn::ops
