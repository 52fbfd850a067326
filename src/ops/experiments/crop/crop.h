// A part of an image, or of any tensor by bounds that are inputs.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops::experiments {

extern const opset::Operator Crop, DynamicSlice;

struct CropParams {
  std::int64_t left = 0, top = 0, right = 0, bottom = 0;  // what is cut off
  struct Size {
    std::int64_t height = 0, width = 0;
  };
  std::optional<Size> size;  // what is kept instead of cutting at the right and at the bottom
};
// Throws norn::Error (InvalidGraph).
CropParams resolve_crop(const opset::Attrs& attrs);

}  // namespace norn::ops::experiments
